import { queryOptions } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { MoveView } from '../../../../server/wire/move.ts';
import { call } from '../../../shared/api/client.ts';
import { pause } from '../../../shared/api/pause.ts';
import { sendPieces } from '../../../shared/api/chunk-sender.ts';
import { type Problem, toProblem } from '../../../shared/api/problem.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { forgetToken } from '../../../shared/api/session.ts';

/** Moving a whole account. The key is the topic by which the PDA tells of changes. */

export type { ArchiveCounts, MoveView } from '../../../../server/wire/move.ts';

/** Milliseconds. While something runs the next step is not far. */
const POLL_INTERVAL_MS = 700;

const isBusy = ({ exporting, archive }: MoveView): boolean =>
  exporting !== null || archive?.state === 'checking' || archive?.state === 'importing';

export const move = queryOptions({
  queryKey: ['moves'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/move', {}, signal),
  refetchInterval: (query) => (query.state.data !== undefined && isBusy(query.state.data) ? POLL_INTERVAL_MS : false),
});

const cacheMove = (now: MoveView): MoveView => {
  queryClient.setQueryData(move.queryKey, now);
  return now;
};

/** The browser's own download: it goes to the disk as it comes, and goes on when this page is left. */
export async function exportAccount(password: string): Promise<void> {
  const { url } = await call('POST /api/v2.6/owner/move/exports', { body: { password } });
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
  setTimeout(() => void queryClient.invalidateQueries({ queryKey: move.queryKey }), POLL_INTERVAL_MS);
}

export const discardArchive = async (): Promise<MoveView> =>
  cacheMove(await call('DELETE /api/v2.6/owner/move/archive', {}));
export const activateImport = async (): Promise<MoveView> => {
  const now = cacheMove(await call('POST /api/v2.6/owner/move/settle', {}));
  await queryClient.invalidateQueries();
  return now;
};

const RESTART_POLL_MS = 300;
/** Of silence: an import of what is large takes its time, and says so. */
const RESTART_TIMEOUT_MS = 5 * 60_000;

/** Starts the import and waits until the PDA has restarted with it, which ends this session. @throws Problem when the import failed */
export async function importArchive(): Promise<void> {
  cacheMove(await call('POST /api/v2.6/owner/move/import', {}));
  for (let waited = 0; waited < RESTART_TIMEOUT_MS; waited += RESTART_POLL_MS) {
    await pause(RESTART_POLL_MS);
    try {
      const now = cacheMove(await call('GET /api/v2.6/owner/move', {}));
      if (now.archive?.state === 'refused') return;
      if (now.archive?.state === 'importing') waited = 0;
    } catch (error) {
      // The server does not respond while it restarts; afterwards this session is unknown.
      if (toProblem(error).status === 401) break;
    }
  }
  forgetToken();
}

/** Bytes in one piece: large enough to be quick, small enough that a break loses little. */
const CHUNK_BYTES = 16_000_000;

export type ArchiveUpload = { fileName: string; size: number; sent: number; problem: Problem | undefined };

let sending: ArchiveUpload | undefined;
let stop: AbortController | undefined;
const listeners = new Set<() => void>();
const say = (now: ArchiveUpload | undefined): void => {
  sending = now;
  for (const listener of listeners) listener();
};

/** The upload of an archive. It lives outside the page: one may leave and come back while it goes on. */
export const useArchiveUpload = (): ArchiveUpload | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sending,
  );

async function sendChunks(file: File, signal: AbortSignal): Promise<void> {
  const begun = cacheMove(
    await call('POST /api/v2.6/owner/move/archive', { body: { fileName: file.name, size: file.size } }, signal),
  );
  const onReceived = (sent: number) => say({ fileName: file.name, size: file.size, sent, problem: undefined });
  const offset = begun.archive?.received ?? 0;
  onReceived(offset);
  await sendPieces({
    content: file,
    offset,
    pieceSize: CHUNK_BYTES,
    async send(body, from) {
      const now = cacheMove(
        await call('PUT /api/v2.6/owner/move/archive/content', { query: { offset: from }, body }, signal),
      );
      return now.archive?.received ?? file.size;
    },
    received: async () => (await call('GET /api/v2.6/owner/move', {}, signal)).archive?.received ?? 0,
    onReceived,
    signal,
  });
}

export async function uploadArchive(file: File): Promise<void> {
  stop?.abort();
  const mine = new AbortController();
  stop = mine;
  say({ fileName: file.name, size: file.size, sent: 0, problem: undefined });
  try {
    await sendChunks(file, mine.signal);
    say(undefined);
  } catch (error) {
    if (!mine.signal.aborted) say({ fileName: file.name, size: file.size, sent: 0, problem: toProblem(error) });
  }
}

export function cancelArchiveUpload(): void {
  stop?.abort();
  say(undefined);
}
