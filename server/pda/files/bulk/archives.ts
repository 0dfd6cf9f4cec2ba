import type { Readable } from 'node:stream';
import type { Principal } from '../../../platform/auth/principal.ts';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { createDownloadTickets } from '../../../platform/http/download-tickets.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import { archiveOf, findOpenableFiles } from '../content/archive.ts';
import type { ContentLifecycle } from '../disk/content-lifecycle.ts';
import type { FileRow, FileStore } from '../store.ts';

/** Bounds memory use: a ticket contains the sequence numbers of its files. */
const MAX_TICKETS = 50;

export type FileArchivesParts = {
  store: Pick<FileStore, 'findByFileId' | 'findBySeq'>;
  disk: Pick<ContentLifecycle, 'open'>;
  owner: Pick<OwnerService, 'onSessionChange' | 'isSessionAlive'>;
  clock: Clock;
};

export type FileArchives = ReturnType<typeof createFileArchives>;

export const createFileArchives = ({ store, disk, owner, clock }: FileArchivesParts) => {
  const tickets = createDownloadTickets<readonly number[]>({ sessions: owner, clock, maxTickets: MAX_TICKETS });

  const requireRow = (seq: number): FileRow => {
    const row = store.findBySeq(seq);
    if (row?.status !== 'Completed')
      throw new Failure('not_found', 'One of the files was deleted in the meantime. Start the download again.');
    return row;
  };

  /**
   * Opens a file, even if it was moved in the meantime.
   * @throws Failure not_found if the file was deleted | wrong_state if its content was changed
   */
  const openCurrent = async (row: FileRow): ReturnType<ContentLifecycle['open']> => {
    const current = requireRow(row.seq);
    if (current.size !== row.size || current.modified !== row.modified)
      throw new Failure('wrong_state', 'One of the files was changed in the meantime. Start the download again.');
    return disk.open(current);
  };

  return {
    /**
     * Issues a ticket for an archive. `missing`: number of files that are left out, because they were deleted, are
     * incomplete or cannot be read.
     * @throws Failure not_found if no file is left
     */
    async issueTicket(
      fileIds: readonly string[],
      principal: Principal,
    ): Promise<{ ticket: string; rows: FileRow[]; missing: number }> {
      const uniqueIds = [...new Set(fileIds)];
      const rows = await findOpenableFiles(
        uniqueIds.flatMap((fileId) => store.findByFileId(fileId) ?? []),
        disk.open,
      );
      if (rows.length === 0)
        throw new Failure(
          'not_found',
          'None of these files can be downloaded. They were deleted, are incomplete or cannot be read.',
        );
      const ticket = tickets.issue(
        rows.map(({ seq }) => seq),
        principal,
      );
      return { ticket, rows, missing: uniqueIds.length - rows.length };
    },

    /**
     * Redeems a ticket. The stream fails if the session ends, or if a file is deleted or its content is changed before
     * it has been sent, so that the owner does not mistake a truncated archive for a complete one.
     * @throws Failure not_found for an unknown, used or expired ticket, after the end of its session, or if a file was
     *   deleted in the meantime
     */
    download(ticket: string): Readable {
      const { subject: seqs, bind } = tickets.redeem(ticket);
      const stream = archiveOf({
        rows: seqs.map(requireRow),
        open: openCurrent,
        isAllowed: ({ seq }) => store.findBySeq(seq)?.status === 'Completed',
        clock,
      });
      bind(stream);
      return stream;
    },
  };
};
