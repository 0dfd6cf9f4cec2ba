import { issuedInvitationSchema, invitationsSchema, type Invitation } from '../../server/wire/invitations.ts';
import type { Reply } from './http.ts';
import type { OwnerClient } from './import-over-http.ts';
import type { TestPda } from './test-pda.ts';
import { USER_PASSWORD } from './users.ts';

// Invitations and guests as a browser without scripts sees them.

export const INVITATIONS = '/api/v2.6/owner/invitations';

/** Creates an invitation as the owner. @returns the invitation and the path of its page @throws {Error} if refused */
export const invite = async (
  pda: TestPda,
  fileIds: readonly string[] = [],
  { name = 'Grace', days = 7 } = {},
): Promise<{ path: string; invitation: Invitation }> => {
  const reply = await pda.call('POST', INVITATIONS, { json: { name, days, fileIds } });
  if (reply.status !== 201) throw new Error(`${reply.status} ${reply.text}`);
  return issuedInvitationSchema.parse(reply.json);
};

export const invitationsOf = async (pda: TestPda): Promise<Invitation[]> =>
  invitationsSchema.parse((await pda.call('GET', INVITATIONS)).json).invitations;

export const titleOf = ({ text }: Pick<Reply, 'text'>): string =>
  /<h1>(?:<bdi>)?(?<title>[^<]+)/u.exec(text)?.groups?.['title'] ?? '';

/** A guest's browser. It keeps the cookie and follows no redirects. */
export type GuestBrowser = {
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, fields: Record<string, string>, headers?: Record<string, string>): Promise<Reply>;
  /** Sends a form of a page, with the hidden token that the page contains. */
  submit(page: string, action: string, fields?: Record<string, string>): Promise<Reply>;
  cookie: string | undefined;
};

/** Returns the token in the forms of a page; empty if it has none. */
export const formTokenIn = ({ text }: Reply): string =>
  /name="form" value="(?<token>[^"]+)"/u.exec(text)?.groups?.['token'] ?? '';

/**
 * Returns the challenge for a passkey on a page; empty if it has none.
 * @param action action of the form that contains the challenge; default: the first challenge on the page
 */
export const challengeIn = ({ text }: Reply, action?: string): string => {
  const start = action === undefined ? 0 : text.indexOf(`action="${action}"`);
  const form = start < 0 ? '' : text.slice(start, action === undefined ? undefined : text.indexOf('</form>', start));
  return /&quot;challenge&quot;:&quot;(?<challenge>[\w-]+)&quot;/u.exec(form)?.groups?.['challenge'] ?? '';
};

export const createGuestBrowser = (pda: OwnerClient, host?: string): GuestBrowser => {
  const self: GuestBrowser = {
    cookie: undefined,
    async get(path, headers = {}) {
      return keepCookie(await pda.call('GET', path, { token: null, headers: browserHeaders(headers) }));
    },
    async post(path, fields, headers = {}) {
      const type = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = new URLSearchParams(fields).toString();
      return keepCookie(
        await pda.call('POST', path, { token: null, body, headers: browserHeaders({ ...type, ...headers }) }),
      );
    },
    async submit(page, action, fields = {}) {
      return self.post(action, { form: formTokenIn(await self.get(page)), ...fields });
    },
  };
  const browserHeaders = (headers: Record<string, string>) => ({
    accept: 'text/html',
    ...(host === undefined ? {} : { host }),
    ...(self.cookie === undefined ? {} : { cookie: self.cookie }),
    ...headers,
  });
  const keepCookie = (reply: Reply): Reply => {
    const [setCookie] = reply.headers['set-cookie'] ?? [];
    if (setCookie !== undefined) self.cookie = setCookie.includes('Max-Age=0') ? undefined : setCookie.split(';', 1)[0];
    return reply;
  };
  return self;
};

export const acceptInvitation = (
  browser: GuestBrowser,
  path: string,
  { name = 'Grace', password = USER_PASSWORD, repeat }: { name?: string; password?: string; repeat?: string } = {},
): Promise<Reply> => browser.post(path, { name, password, repeat: repeat ?? password });

/**
 * Invites a guest, shares files with the guest, and accepts the invitation.
 * @returns the guest's browser, the path of the invitation and the id of the guest
 * @throws {Error} if the invitation or its acceptance is refused
 */
export const createInvitedGuest = async (
  pda: TestPda,
  fileIds: readonly string[],
  name = 'Grace',
): Promise<{ browser: GuestBrowser; path: string; userId: string }> => {
  const browser = createGuestBrowser(pda);
  const { path } = await invite(pda, fileIds, { name });
  const { status, headers, text } = await acceptInvitation(browser, path, { name });
  if (status !== 303 || headers.location !== '/guest') throw new Error(`${status} ${headers.location ?? ''} ${text}`);
  return { browser, path, userId: pda.pda.users.list().find((user) => user.name === name)?.userId ?? '' };
};
