import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { publicAccess } from '../../../platform/auth/principal.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { acceptsHtml, describeHtmlPage, HTML_TYPE } from '../../core/public-page.ts';
import { contentDisposition } from '../../../platform/http/response/content-disposition.ts';
import { languageOf } from '../../../platform/http/request/accept-language.ts';
import { createRouteDeclarer, headResponse, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import { fileIdSchema } from '../../../wire/files.ts';
import { MAX_ARCHIVE_FILES, MAX_PASSWORD_CHARS } from '../../../wire/limits.ts';
import { shareTokenSchema, type ShareLink } from '../../../wire/share-links.ts';
import { SHARE_PATH } from '../../../wire/guest-paths.ts';
import type { AccessLogModule, PublicReads } from '../../sharing/access-log/index.ts';
import { archiveOf, findOpenableFiles } from '../content/archive.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import { loggedRecordsOf } from '../rules.ts';
import type { FileRow, FileStore } from '../store.ts';
import type { FileView } from '../access/view.ts';
import { filesContent, pagePath, withQuery } from './files-page.ts';
import { SHARE_TEXTS } from './page-texts.ts';
import { SHARE_PAGE_HEADERS, sharePage, type SharePageContent } from './page-rules.ts';
import type { ShareLinkService } from './service.ts';
import type { ShareLinkRow } from './store.ts';

const PAGE_PATH = `${SHARE_PATH}/:token`;
/** Percent-encoding takes up to nine bytes per character of the password. */
const FORM_MAX_BYTES = 9 * MAX_PASSWORD_CHARS + 100;

const pageParams = z.strictObject({ token: shareTokenSchema });
const fileParams = z.strictObject({ token: shareTokenSchema, fileId: fileIdSchema });
const passQuery = z.object({ pass: z.string().max(200).default('') });
const pageQuery = passQuery.extend({ after: z.string().max(4000).default('') });
const pageHeaders = z.object({ accept: z.string().optional(), 'accept-language': z.string().optional() });
type PageHeaders = z.output<typeof pageHeaders>;
const linkRoute = createRouteDeclarer({ tag: 'Share links', access: publicAccess, headers: pageHeaders });

const ENDED_PAGES = {
  404: describeHtmlPage('HTML page: there is no such link'),
  410: describeHtmlPage('HTML page: the link has ended'),
};

const consentOf = ({ id, name }: Pick<ShareLinkRow, 'id' | 'name'>) =>
  ({ kind: 'link', name: id, detail: name }) as const;

/** Refusals for clients that are not browsers. Browsers get a page. */
const REFUSALS = {
  unknown: ['not_found', 'There is no such link. It may have been revoked.'],
  expired: ['not_found', 'This link has ended.'],
  'used-up': ['not_found', 'The files of this link were opened as often as its owner allowed.'],
  wrong: ['forbidden', 'This password is wrong.'],
} as const;

/** @throws Failure if the client is not a browser */
const requireBrowser = ({ accept }: PageHeaders, refusal: keyof typeof REFUSALS): void => {
  if (acceptsHtml(accept)) return;
  const [code, reason] = REFUSALS[refusal];
  throw new Failure(code, reason);
};

export const shareLinkRoutes = (parts: {
  links: ShareLinkService;
  files: Pick<FileStore, 'findByFileId' | 'findBySeq'>;
  disk: Pick<ContentLifecycle, 'open'>;
  clock: Clock;
  view: Pick<FileView, 'contentUrl'>;
  publicReads: PublicReads;
  recordRefusal: AccessLogModule['recordRefusal'];
  baseOf: (host: string) => string;
}) => {
  const { links, files, disk, clock, view, publicReads, recordRefusal, baseOf } = parts;

  const pageResponse = (
    status: number,
    caller: Caller,
    headers: PageHeaders,
    content: SharePageContent,
  ): RouteResponse => ({
    status,
    text: sharePage({ host: caller.host, language: languageOf(headers['accept-language']), content }),
    contentType: HTML_TYPE,
    base: SHARE_PAGE_HEADERS,
  });

  /** @throws Failure if the client is not a browser */
  const refusalResponse = (
    kind: 'unknown' | 'expired' | 'used-up',
    caller: Caller,
    headers: PageHeaders,
  ): RouteResponse => {
    requireBrowser(headers, kind);
    return pageResponse(kind === 'unknown' ? 404 : 410, caller, headers, { kind });
  };

  /** @throws Failure if the link is unknown or has expired and the client is not a browser */
  const resolveLink = (
    token: string,
    caller: Caller,
    headers: PageHeaders,
  ): { link: ShareLinkRow; state: ShareLink['state'] } | { response: RouteResponse } => {
    const result = links.find(token);
    if (result === undefined) return { response: refusalResponse('unknown', caller, headers) };
    if (result.state === 'expired') return { response: refusalResponse('expired', caller, headers) };
    return result;
  };

  const passwordPage = (
    status: number,
    caller: Caller,
    headers: PageHeaders,
    { link, problem }: { link: ShareLinkRow; problem?: 'wrong' | 'wait' },
  ): RouteResponse => pageResponse(status, caller, headers, { kind: 'password', action: pagePath(link), problem });

  const recordFiles = (action: string, link: ShareLinkRow, rows: readonly FileRow[], caller: Caller): Promise<void> =>
    publicReads.record({
      who: { kind: 'visitor', name: '' },
      action,
      consent: consentOf(link),
      address: caller.address,
      records: loggedRecordsOf(rows),
      fields: null,
      bytes: 0,
    });

  const refusePassword = async (link: ShareLinkRow, caller: Caller, headers: PageHeaders) => {
    await recordRefusal({
      who: { kind: 'visitor', name: '' },
      action: `POST ${PAGE_PATH}`,
      status: 403,
      reason: 'forbidden',
      consent: consentOf(link),
      records: new Map(),
      fields: null,
      bytes: 0,
      address: caller.address,
    });
    requireBrowser(headers, 'wrong');
    return passwordPage(403, caller, headers, { link, problem: 'wrong' });
  };

  const filesPage = async (
    { link, pass, after }: { link: ShareLinkRow; pass: string; after: string },
    caller: Caller,
    headers: PageHeaders,
  ): Promise<RouteResponse> => {
    const page = links.listFiles(link, after);
    await recordFiles(`GET ${PAGE_PATH}`, link, page.rows, caller);
    const content = filesContent(link, after, page, {
      file: (row) => withQuery(`${pagePath(link)}/${encodeURIComponent(row.file_id)}`, { pass }),
      archive: links.offersArchive(link) ? { url: withQuery(`${pagePath(link)}/archive/all`, { pass }) } : undefined,
      next: (nextAfter) => withQuery(pagePath(link), { pass, after: nextAfter }),
    });
    return pageResponse(200, caller, headers, content);
  };

  return [
    linkRoute({
      method: 'GET',
      path: PAGE_PATH,
      summary: 'Show the page of a share link',
      description:
        'Lists the files of the link, or asks for its password. The links on the page and the redirect of the password form contain `pass`.',
      params: pageParams,
      query: pageQuery,
      responses: { 200: describeHtmlPage('HTML page without scripts'), ...ENDED_PAGES },
      errors: ['not_found', 'out_of_disk'],
      handler: async ({ params, query, headers, caller }) => {
        const result = resolveLink(params.token, caller, headers);
        if ('response' in result) return result.response;
        const { link, state } = result;
        const hasValidPass = links.visitOf(link, query.pass) !== undefined;
        if (link.password_hash !== null && !hasValidPass) return passwordPage(200, caller, headers, { link });
        if (state === 'used-up') return refusalResponse('used-up', caller, headers);
        const pass = hasValidPass ? query.pass : links.newPass(link);
        return filesPage({ link, pass, after: query.after }, caller, headers);
      },
    }),
    linkRoute({
      method: 'POST',
      path: PAGE_PATH,
      summary: 'Submit the password of a share link',
      description: 'Sent by the form on the page. Redirects to the page with a pass that is valid for an hour.',
      params: pageParams,
      body: { as: 'bytes', maxBytes: FORM_MAX_BYTES, contentType: 'application/x-www-form-urlencoded' },
      responses: {
        303: { description: 'The password is correct; `Location` is the page with a pass' },
        403: describeHtmlPage('HTML page: the password is wrong'),
        429: describeHtmlPage('HTML page: too many attempts'),
        ...ENDED_PAGES,
      },
      errors: ['not_found', 'forbidden'],
      handler: async ({ params, headers, body, caller }) => {
        const result = resolveLink(params.token, caller, headers);
        if ('response' in result) return result.response;
        const { link } = result;
        const password = new URLSearchParams(await text(body)).get('password') ?? '';
        try {
          if (!(await links.checkPassword(link, password.slice(0, MAX_PASSWORD_CHARS), caller)))
            return await refusePassword(link, caller, headers);
        } catch (error) {
          if (!(error instanceof Failure && error.code === 'rate_limited') || !acceptsHtml(headers.accept)) throw error;
          return { ...passwordPage(429, caller, headers, { link, problem: 'wait' }), headers: error.headers };
        }
        return { status: 303, headers: { location: withQuery(pagePath(link), { pass: links.newPass(link) }) } };
      },
    }),
    linkRoute({
      method: 'GET',
      path: `${PAGE_PATH}/:fileId`,
      summary: 'Open a file of a share link',
      description:
        'Redirects to a signed URL of the content. Without a valid pass, or if the link does not contain the file, redirects to the page.',
      params: fileParams,
      query: passQuery,
      responses: { 303: { description: '`Location` is the signed URL, or the page of the link' }, ...ENDED_PAGES },
      errors: ['not_found'],
      handler: ({ params, query, headers, caller }) => {
        const result = resolveLink(params.token, caller, headers);
        if ('response' in result) return result.response;
        const { link, state } = result;
        const visit = links.visitOf(link, query.pass);
        const file = files.findByFileId(params.fileId);
        if (visit === undefined || file === undefined || !links.includes(link, file))
          return { status: 303, headers: { location: pagePath(link) } };
        const bearer = links.bearerOf(link, visit);
        if (state === 'used-up' && !links.isCounted(bearer, file)) return refusalResponse('used-up', caller, headers);
        return { status: 303, headers: { location: view.contentUrl(file, bearer, baseOf(caller.host)) } };
      },
    }),
    linkRoute({
      method: 'GET',
      path: `${PAGE_PATH}/archive/all`,
      summary: 'Download all files of a share link',
      description: `A ZIP archive of at most ${MAX_ARCHIVE_FILES} files. The download is aborted when the link ends or no longer contains a file. Not available for links that are view-only, limit how many files are opened, contain more files, or contain none.`,
      params: pageParams,
      query: passQuery,
      responses: {
        200: { description: 'The archive', contentType: 'application/zip' },
        303: { description: 'The pass is not valid, or there is no archive; `Location` is the page of the link' },
        ...ENDED_PAGES,
      },
      errors: ['not_found', 'forbidden', 'out_of_disk'],
      takesMinutes: true,
      handler: async ({ params, query, headers, caller }) => {
        const result = resolveLink(params.token, caller, headers);
        if ('response' in result) return result.response;
        const { link } = result;
        const visit = links.visitOf(link, query.pass);
        const archiveRows = links.archiveFiles(link);
        if (visit === undefined || archiveRows === undefined)
          return { status: 303, headers: { location: pagePath(link) } };
        if (caller.headersOnly) return { ...headResponse(200), contentType: 'application/zip' };
        const rows = await findOpenableFiles(archiveRows, disk.open);
        const bearer = links.bearerOf(link, visit);
        await recordFiles(`GET ${PAGE_PATH}/archive/all`, link, rows, caller);
        await Promise.all(rows.map((row) => links.countOpen(bearer, row)));
        const name = SHARE_TEXTS[languageOf(headers['accept-language'])].archiveName;
        return {
          status: 200,
          contentType: 'application/zip',
          base: SHARE_PAGE_HEADERS,
          headers: { 'content-disposition': contentDisposition(name) },
          stream: archiveOf({
            rows,
            folder: link.folder ?? undefined,
            open: disk.open,
            isAllowed: ({ seq }) => {
              const row = files.findBySeq(seq);
              return row !== undefined && links.mayDownload(link.id, row);
            },
            clock,
          }),
        };
      },
    }),
  ] as const;
};
