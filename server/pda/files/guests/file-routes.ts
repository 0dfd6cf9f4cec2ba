import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { publicAccess } from '../../../platform/auth/principal.ts';
import { headResponse, route, type Caller } from '../../../platform/http/route.ts';
import { fileIdSchema } from '../../../wire/files.ts';
import { GUEST_PATH } from '../../../wire/invitations.ts';
import { GUEST_PAGE_FILES, MAX_ARCHIVE_FILES } from '../../../wire/limits.ts';
import type { PublicReads } from '../../sharing/access-log/index.ts';
import { mayReadContent } from '../access/permissions.ts';
import { bearerOf, factsOf } from '../access/view.ts';
import { archiveOf, openableFiles } from '../content/archive.ts';
import { isInline } from '../content/types.ts';
import { ledgerEndpoint, type FileService } from '../service.ts';
import type { FileRow, FileStore } from '../store.ts';
import type { Guest } from './account.ts';
import { htmlPage, PAGE_ERRORS, pageHeaders, redirect, redirectTo, type GuestPages } from './page-response.ts';
import {
  archiveBusyPage,
  fileListPage,
  filePage,
  missingFilePage,
  type FileListContent,
  type GuestFile,
} from './pages/files.ts';
import { GUEST_PAGE_HEADERS } from './pages/frame.ts';
import { guestCookie } from './rules.ts';
import type { GuestStore } from './store.ts';
import { GUEST_TEXTS } from './pages/texts.ts';

const TAG = 'Pages of guests';
const FILE = `${GUEST_PATH}/files/:fileId`;
const ARCHIVE = `${GUEST_PATH}/archive`;
/** Highest page number that is read from a URL. */
const PAGE_MAX = 100_000;

const fileParams = z.strictObject({ fileId: fileIdSchema });
const listQuery = z.object({ page: z.string().max(20).optional() });
const NOT_SIGNED_IN = redirectTo('`Location` is the sign-in page');
const MISSING = htmlPage('HTML page: the file is not shared with the guest');

const pageNumber = (text: string | undefined): number => {
  const page = Number(text ?? '1');
  return Number.isInteger(page) && page >= 1 && page <= PAGE_MAX ? page : 1;
};

/** Routes of the files that are shared with a guest. */
export const guestFileRoutes = (parts: {
  store: Pick<GuestStore, 'granted' | 'countGranted' | 'readable'>;
  files: Pick<FileService, 'mayDownload' | 'disk' | 'view'>;
  fileStore: Pick<FileStore, 'byFileId'>;
  publicReads: PublicReads;
  pages: GuestPages;
  ownerName: () => string;
  baseOf: (host: string) => string;
  clock: Clock;
}) => {
  const { store, files, fileStore, publicReads, pages, ownerName, baseOf, clock } = parts;
  const { view } = files;
  /** Guests who are currently downloading an archive. */
  const archiveReaders = new Set<string>();

  const isReadable = (row: FileRow, { principal }: Guest): boolean =>
    mayReadContent(principal, factsOf(row), view.grant(row, principal));

  const toGuestFile = (row: FileRow, guest: Guest): GuestFile => ({
    fileId: row.file_id,
    name: row.name,
    title: row.title,
    description: row.description,
    bytes: row.size ?? 0,
    updated: row.updated,
    kind: row.kind,
    isInline: isInline(row.type),
    isReadable: isReadable(row, guest),
  });

  /** Returns a file that is shared with the guest; undefined for any other file. */
  const findShared = (fileId: string, { principal }: Guest): FileRow | undefined => {
    const row = fileStore.byFileId(fileId);
    return row?.status === 'Completed' && view.grant(row, principal) !== undefined ? row : undefined;
  };

  /** Writes the access log entry of a response with files before it is sent. */
  const recordRead = async (action: string, rows: readonly FileRow[], guest: Guest, caller: Caller): Promise<void> => {
    const bySource = Map.groupBy(rows, ({ source }) => source);
    await publicReads.record({
      who: { kind: 'user', name: guest.userId, person: guest.name },
      action,
      consent: null,
      address: caller.address,
      records: new Map([...bySource].map(([source, group]) => [ledgerEndpoint(source), group.map(({ seq }) => seq)])),
      fields: null,
      bytes: 0,
    });
  };

  const archiveState = (userId: string): FileListContent['archive'] => {
    const count = store.readable(userId, MAX_ARCHIVE_FILES + 1).length;
    if (count > MAX_ARCHIVE_FILES) return 'too-many';
    return count === 0 ? 'none' : 'offered';
  };

  return [
    route({
      method: 'GET',
      path: GUEST_PATH,
      tag: TAG,
      summary: 'The page of a guest',
      description: 'Lists the files that are shared with the guest, the newest first. Renews the sign-in.',
      access: publicAccess,
      query: listQuery,
      headers: pageHeaders,
      responses: { 200: htmlPage('A page without scripts'), 303: NOT_SIGNED_IN },
      errors: PAGE_ERRORS,
      handler: ({ query, headers, caller }) =>
        pages.withGuest(caller, async (guest) => {
          const page = pageNumber(query.page);
          const skip = (page - 1) * GUEST_PAGE_FILES;
          const rows = store.granted(guest.userId, { skip, take: GUEST_PAGE_FILES });
          await recordRead(`GET ${GUEST_PATH}`, rows, guest, caller);
          const token = await guest.renewedToken();
          return pages.respond(
            200,
            headers,
            fileListPage(pages.frameOf(caller, headers, guest), {
              owner: ownerName(),
              files: rows.map((row) => toGuestFile(row, guest)),
              page,
              hasMore: skip + rows.length < store.countGranted(guest.userId),
              archive: archiveState(guest.userId),
            }),
            token === undefined ? undefined : guestCookie(baseOf(caller.host), token),
          );
        }),
    }),
    route({
      method: 'GET',
      path: FILE,
      tag: TAG,
      summary: 'The page of a file that is shared with a guest',
      access: publicAccess,
      params: fileParams,
      headers: pageHeaders,
      responses: { 200: htmlPage('A page without scripts'), 303: NOT_SIGNED_IN, 404: MISSING },
      errors: PAGE_ERRORS,
      handler: ({ params, headers, caller }) =>
        pages.withGuest(caller, async (guest) => {
          const frame = pages.frameOf(caller, headers, guest);
          const row = findShared(params.fileId, guest);
          if (row === undefined || !isReadable(row, guest)) return pages.respond(404, headers, missingFilePage(frame));
          await recordRead(`GET ${FILE}`, [row], guest, caller);
          return pages.respond(200, headers, filePage(frame, toGuestFile(row, guest)));
        }),
    }),
    route({
      method: 'GET',
      path: `${FILE}/content`,
      tag: TAG,
      summary: 'Open a file that is shared with a guest',
      description: 'Redirects to a signed URL of the content, which ends with the session.',
      access: publicAccess,
      params: fileParams,
      headers: pageHeaders,
      responses: { 303: redirectTo('`Location` is the signed URL, or the sign-in page'), 404: MISSING },
      errors: PAGE_ERRORS,
      handler: ({ params, headers, caller }) =>
        pages.withGuest(caller, (guest) => {
          const row = findShared(params.fileId, guest);
          if (row === undefined || !isReadable(row, guest))
            return pages.respond(404, headers, missingFilePage(pages.frameOf(caller, headers, guest)));
          return redirect(view.contentUrl(row, bearerOf(guest.principal), baseOf(caller.host)));
        }),
    }),
    route({
      method: 'GET',
      path: ARCHIVE,
      tag: TAG,
      summary: 'Download all files of a guest',
      description: `A ZIP archive of at most ${MAX_ARCHIVE_FILES} files. It breaks off when the right to a file ends.`,
      access: publicAccess,
      headers: pageHeaders,
      responses: {
        200: { description: 'The archive', contentType: 'application/zip' },
        303: redirectTo('`Location` is the sign-in page, or the page of the guest if there is no archive'),
        429: htmlPage('HTML page: another archive is being downloaded'),
      },
      errors: PAGE_ERRORS,
      takesMinutes: true,
      handler: ({ headers, caller }) =>
        pages.withGuest(caller, async (guest) => {
          const frame = pages.frameOf(caller, headers, guest);
          if (archiveState(guest.userId) !== 'offered') return redirect(GUEST_PATH);
          if (archiveReaders.has(guest.userId)) return pages.respond(429, headers, archiveBusyPage(frame));
          archiveReaders.add(guest.userId);
          const onEnd = (): void => void archiveReaders.delete(guest.userId);
          try {
            const rows = await openableFiles(store.readable(guest.userId, MAX_ARCHIVE_FILES), files.disk.open);
            await recordRead(`GET ${ARCHIVE}`, rows, guest, caller);
            const name = GUEST_TEXTS[frame.language].archiveName;
            if (caller.headersOnly) {
              onEnd();
              return { ...headResponse(200), contentType: 'application/zip' };
            }
            const bearer = bearerOf(guest.principal);
            return {
              status: 200,
              contentType: 'application/zip',
              // Unlike the interface, not readable by pages of other origins.
              base: GUEST_PAGE_HEADERS,
              headers: { 'content-disposition': `attachment; filename="${name}"` },
              stream: archiveOf({
                rows,
                open: files.disk.open,
                isAllowed: ({ seq }) => files.mayDownload(seq, bearer),
                clock,
                onEnd,
              }),
            };
          } catch (error) {
            onEnd();
            throw error;
          }
        }),
    }),
  ] as const;
};
