import { randomBytes } from 'node:crypto';
import { shareLinkSchema, type ShareLink } from '../../server/wire/share-links.ts';
import { SHARE_PATH } from '../../server/wire/guest-paths.ts';
import { storeFile } from './files.ts';
import type { Call, Reply } from './http.ts';
import type { TestPda } from './test-pda.ts';

// Callers with a share link, in every state of the link.

/** Name and content of the shared file. Responses that contain it show the file. */
export const LINKED_CANARY = 'canary-behind-the-gate.txt';
const LINKS = '/api/v2.6/owner/share-links';
const PASSWORD = 'seven small hills';
const MINUTE_MS = 60_000;

/** The columns of `LINK_ACCESS`. */
export const LINK_ROUTES = [
  'GET /share/:token',
  'POST /share/:token',
  'GET /share/:token/:fileId',
  'GET /share/:token/archive/all',
  'GET /storage/:fileId',
  'PUT /storage/:fileId',
];

/**
 * Kinds of responses to a request for the shared file.
 * - `shown`: the file
 * - `other`: a page or an archive without the file
 * - `asked`: the form for the password
 * - `entered`: a redirect to the page, with a pass
 * - `opened`: a redirect to a signed URL
 * - `sent back`: a redirect to the page, without a pass
 * - `refused`, `unknown` and `ended`: status 403, 404 and 410
 */
type ResponseKind = 'shown' | 'other' | 'asked' | 'entered' | 'opened' | 'sent back' | 'refused' | 'unknown' | 'ended';

/**
 * Responses to a request for the shared file, by the state of the link. A signed URL is valid for minutes. It ends
 * early when its link ends, but not when the link's password changes.
 */
const LINK_ACCESS = {
  'an active link': ['shown', 'entered', 'opened', 'shown', 'shown', 'refused'],
  'a link that has expired': ['ended', 'ended', 'ended', 'ended', 'refused', 'refused'],
  'a revoked link': ['unknown', 'unknown', 'unknown', 'unknown', 'refused', 'refused'],
  'a link without its password': ['asked', 'refused', 'sent back', 'sent back', 'refused', 'refused'],
  'a link with its password': ['shown', 'entered', 'opened', 'shown', 'shown', 'refused'],
  'a link with its former password': ['asked', 'refused', 'sent back', 'sent back', 'shown', 'refused'],
  'a link that was opened as often as allowed': ['ended', 'entered', 'ended', 'sent back', 'refused', 'refused'],
  'a link to another file': ['other', 'entered', 'sent back', 'other', 'refused', 'refused'],
  'a link of another PDA': ['unknown', 'unknown', 'unknown', 'unknown', 'refused', 'refused'],
} as const satisfies Record<string, readonly ResponseKind[]>;

type LinkCaller = keyof typeof LINK_ACCESS;
export const LINK_CALLERS = Object.keys(LINK_ACCESS) as LinkCaller[];

const KIND_OF_STATUS: Record<number, ResponseKind> = { 403: 'refused', 404: 'unknown', 410: 'ended' };

/** Returns the `ResponseKind` of a response; its status if none applies. */
export const responseKindOf = ({ status, text, headers }: Reply): string => {
  const { location = '' } = headers;
  if (status === 200 && text.includes(LINKED_CANARY)) return 'shown';
  if (status === 200) return text.includes('type="password"') ? 'asked' : 'other';
  if (status === 303 && location.includes('/storage/')) return 'opened';
  if (status === 303) return location.includes('pass=') ? 'entered' : 'sent back';
  return KIND_OF_STATUS[status] ?? String(status);
};

/** Credentials of a caller: the link, perhaps a password and a pass, and the query of a signed URL. */
type Credentials = { path: string; password: string; pass: string; signedQuery: string };

const toUrl = (location: string | undefined): URL => new URL(location ?? '', 'http://pda.example');
const forgedQuery = (expires: number): string =>
  `?${new URLSearchParams({
    expires: String(expires),
    method: 'GET',
    by: 'link:x:x',
    signature: randomBytes(32).toString('base64url'),
  }).toString()}`;

export type LinkCallers = Awaited<ReturnType<typeof createLinkCallers>>;

/** Stores a file, creates links in every state, and opens each of them as far as possible. */
export const createLinkCallers = async (pda: TestPda) => {
  const { fileId } = await storeFile(pda, LINKED_CANARY, LINKED_CANARY);
  const otherFile = await storeFile(pda, 'other.txt', 'other');

  const create = async (settings: object = {}): Promise<ShareLink> => {
    const json = { name: 'Gate', fileIds: [fileId], ...settings };
    return shareLinkSchema.parse((await pda.call('POST', LINKS, { json })).json);
  };
  const browse = (path: string): Promise<Reply> =>
    pda.call('GET', path, { token: null, headers: { accept: 'text/html' } });
  const passwordForm = (password: string): Call => ({
    body: new URLSearchParams({ password }).toString(),
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
  });
  /** Opens the page and the file of a link. */
  const open = async ({ path, files }: ShareLink, password = ''): Promise<Credentials> => {
    const entryReply = await pda.call('POST', path, { token: null, ...passwordForm(password) });
    const pass = toUrl(entryReply.headers.location).searchParams.get('pass') ?? '';
    const openReply = await browse(`${path}/${encodeURIComponent(files[0]?.fileId ?? '')}?pass=${pass}`);
    return { path, password, pass, signedQuery: toUrl(openReply.headers.location).search };
  };
  const credentialsWithoutPass = (path: string): Credentials => ({
    path,
    password: '',
    pass: '',
    signedQuery: forgedQuery(pda.clock.now() + 5 * MINUTE_MS),
  });

  const revokedLink = await create();
  const changedLink = await create({ password: PASSWORD });
  const limitedLink = await create({ opensMax: 1 });
  const credentials: Record<LinkCaller, Credentials> = {
    'an active link': await open(await create()),
    'a link that has expired': await open(await create({ expires: pda.clock.now() + MINUTE_MS })),
    'a revoked link': await open(revokedLink),
    'a link without its password': credentialsWithoutPass((await create({ password: PASSWORD })).path),
    'a link with its password': await open(await create({ password: PASSWORD }), PASSWORD),
    'a link with its former password': await open(changedLink, PASSWORD),
    'a link that was opened as often as allowed': await open(limitedLink),
    'a link to another file': await open(await create({ fileIds: [otherFile.fileId] })),
    'a link of another PDA': credentialsWithoutPass(`${SHARE_PATH}/${randomBytes(32).toString('base64url')}`),
  };
  await pda.call('DELETE', `${LINKS}/${revokedLink.linkId}`);
  await pda.call('PUT', `${LINKS}/${changedLink.linkId}`, { json: { password: 'eight small hills' } });
  await browse(`/storage/${encodeURIComponent(fileId)}${(await open(limitedLink)).signedQuery}`);
  pda.clock.advance(MINUTE_MS);

  return {
    /**
     * Returns a caller's request for a route, and the kind of the expected response. For routes outside the table, the
     * kind is undefined, and the request contains the link's token as if it were a PDA token.
     */
    requestOf(key: string, caller: LinkCaller, path: string, call: Call) {
      const { path: linkPath, password, pass, signedQuery } = credentials[caller];
      const token = linkPath.slice(`${SHARE_PATH}/`.length);
      const expectedKind: ResponseKind | undefined = LINK_ACCESS[caller][LINK_ROUTES.indexOf(key)];
      if (expectedKind === undefined) return { path, call: { ...call, token }, expectedKind };
      const [method = '', pattern = ''] = key.split(' ');
      const query = pattern.startsWith('/storage') ? signedQuery : `?pass=${pass}`;
      const ownPath = pattern.replace(':token', token).replace(':fileId', encodeURIComponent(fileId));
      const form = method === 'POST' ? passwordForm(password) : call;
      return {
        path: method === 'POST' ? ownPath : `${ownPath}${query}`,
        call: { ...form, token: null, headers: { accept: 'text/html', ...form.headers } },
        expectedKind,
      };
    },
  };
};
