import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { contentDisposition } from '../../../platform/http/response/content-disposition.ts';
import { headResponse, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import { MAX_ARCHIVE_FILES } from '../../../wire/limits.ts';
import type { PublicReads } from '../../sharing/access-log/index.ts';
import { mayReadContent } from '../access/permissions.ts';
import { bearerOf, factsOf } from '../access/view.ts';
import { archiveOf, findOpenableFiles } from '../content/archive.ts';
import { isInline } from '../content/types.ts';
import { loggedRecordsOf } from '../rules.ts';
import type { FileService } from '../service.ts';
import type { FileRow } from '../store.ts';
import type { Guest } from './account.ts';
import type { GuestPages, GuestRequest } from './page-response.ts';
import { archiveBusyPage } from './pages/files.ts';
import type { ArchiveState, GuestFile } from './pages/lists.ts';
import { GUEST_PAGE_HEADERS } from './pages/frame.ts';
import { GUEST_TEXTS } from './pages/texts.ts';

const PAGE_MAX = 100_000;

export const pageQuery = z.object({ page: z.string().max(20).optional() });

export const pageNumber = (text: string | undefined): number => {
  const page = Number(text ?? '1');
  return Number.isInteger(page) && page >= 1 && page <= PAGE_MAX ? page : 1;
};

export const archiveStateOf = (count: number): ArchiveState => {
  if (count > MAX_ARCHIVE_FILES) return 'too-many';
  return count === 0 ? 'none' : 'offered';
};

/** `folder`: path of the archived folder; undefined for an archive without folders. */
type GuestArchive = { rows: readonly FileRow[]; folder?: string };

export type GuestFiles = ReturnType<typeof createGuestFiles>;

export const createGuestFiles = (parts: {
  files: Pick<FileService, 'mayDownload' | 'disk' | 'view'>;
  publicReads: PublicReads;
  pages: GuestPages;
  clock: Clock;
}) => {
  const { files, publicReads, pages, clock } = parts;
  const archiveReaders = new Set<string>();

  const isReadable = (row: FileRow, { principal }: Guest): boolean =>
    mayReadContent(principal, factsOf(row), files.view.grantOf(row, principal));

  const recordRead = async (action: string, rows: readonly FileRow[], guest: Guest, caller: Caller): Promise<void> => {
    if (guest.preview !== undefined) return;
    await publicReads.record({
      who: { kind: 'user', name: guest.userId, person: guest.name },
      action,
      consent: null,
      address: caller.address,
      records: loggedRecordsOf(rows),
      fields: null,
      bytes: 0,
    });
  };

  return {
    isReadable,
    recordRead,

    toGuestFile(row: FileRow, guest: Guest): GuestFile {
      const isContentReadable = isReadable(row, guest);
      return {
        fileId: row.file_id,
        name: row.name,
        title: row.title,
        description: row.description,
        bytes: row.size ?? 0,
        updated: row.updated,
        kind: row.kind,
        isInline: isInline(row.type),
        isReadable: isContentReadable,
        ...(guest.preview === undefined || !isContentReadable ? {} : { contentUrl: guest.preview.contentUrl(row) }),
      };
    },

    async respondWithArchive(
      action: string,
      archive: GuestArchive,
      { guest, caller, headers }: GuestRequest,
    ): Promise<RouteResponse> {
      const frame = pages.frameOf(caller, headers, guest);
      if (archiveReaders.has(guest.userId)) return pages.respond(429, headers, archiveBusyPage(frame));
      if (caller.headersOnly) return { ...headResponse(200), contentType: 'application/zip' };
      archiveReaders.add(guest.userId);
      const onEnd = (): void => void archiveReaders.delete(guest.userId);
      try {
        const rows = await findOpenableFiles(archive.rows, files.disk.open);
        await recordRead(action, rows, guest, caller);
        const bearer = bearerOf(guest.principal);
        return {
          status: 200,
          contentType: 'application/zip',
          // Unlike the headers of API responses, these headers do not let pages of other origins read the archive.
          base: GUEST_PAGE_HEADERS,
          headers: { 'content-disposition': contentDisposition(GUEST_TEXTS[frame.language].archiveName) },
          stream: archiveOf({
            rows,
            folder: archive.folder,
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
    },
  };
};
