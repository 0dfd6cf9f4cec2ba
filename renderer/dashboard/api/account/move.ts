import { queryOptions } from '@tanstack/react-query';
import type { MoveView } from '../../../../server/wire/move.ts';
import { call } from '../../../shared/api/client.ts';
import { pause } from '../../../shared/api/pause.ts';
import { sendInChunks } from '../../../shared/api/chunk-sender.ts';
import { type Problem, toProblem } from '../../../shared/api/problem.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { forgetToken } from '../../../shared/api/session.ts';
import { createStore } from '../../../shared/api/store.ts';
import { startDownload } from '../../../shared/api/url.ts';

// Export and import of a whole account. The query key equals the topic of the PDA's change events.

export type { MoveView } from '../../../../server/wire/move.ts';

const POLL_INTERVAL_MS = 700;

const isBusy = ({ exporting, archive }: MoveView): boolean =>
  exporting !== null || archive?.state === 'checking' || archive?.state === 'importing';

export const move = queryOptions({
  queryKey: ['moves'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/move', {}, signal),
  refetchInterval: (query) => (query.state.data !== undefined && isBusy(query.state.data) ? POLL_INTERVAL_MS : false),
});

const cacheMove = (state: MoveView): MoveView => {
  queryClient.setQueryData(move.queryKey, state);
  return state;
};

/** Starts a download that the browser streams to disk and continues after the page is left. */
export async function exportAccount(password: string): Promise<void> {
  const { url } = await call('POST /api/v2.6/owner/move/exports', { body: { password } });
  startDownload(url);
  setTimeout(() => void queryClient.invalidateQueries({ queryKey: move.queryKey }), POLL_INTERVAL_MS);
}

export const discardArchive = async (): Promise<MoveView> =>
  cacheMove(await call('DELETE /api/v2.6/owner/move/archive', {}));
export const activateImport = async (): Promise<MoveView> => {
  const moveState = cacheMove(await call('POST /api/v2.6/owner/move/settle', {}));
  await queryClient.invalidateQueries();
  return moveState;
};

const RESTART_POLL_MS = 300;
/** Maximum time without a report that the import is running. */
const RESTART_TIMEOUT_MS = 5 * 60_000;

/**
 * Starts the import. Waits until the PDA refuses the archive, or restarts with the imported account, which ends this
 * session. Also ends the session if the PDA stops reporting the import for `RESTART_TIMEOUT_MS`.
 * @throws {Problem} if the import could not be started
 */
export async function importArchive(): Promise<void> {
  cacheMove(await call('POST /api/v2.6/owner/move/import', {}));
  for (let idleMs = 0; idleMs < RESTART_TIMEOUT_MS; idleMs += RESTART_POLL_MS) {
    await pause(RESTART_POLL_MS);
    try {
      const moveState = cacheMove(await call('GET /api/v2.6/owner/move', {}));
      if (moveState.archive?.state === 'refused') return;
      if (moveState.archive?.state === 'importing') idleMs = 0;
    } catch (error) {
      // The server does not respond while it restarts. After the restart, the PDA refuses this session.
      if (toProblem(error).status === 401) break;
    }
  }
  forgetToken();
}

/** Chunk size: large enough to be fast, small enough that an interruption loses little. */
const CHUNK_BYTES = 16_000_000;

type ArchiveUpload = { fileName: string; size: number; sent: number; problem: Problem | undefined };

const upload = createStore<ArchiveUpload | undefined>(undefined);
let uploadAbort: AbortController | undefined;

export const useArchiveUpload = upload.useValue;

async function sendChunks(file: File, signal: AbortSignal): Promise<void> {
  const initialState = cacheMove(
    await call('POST /api/v2.6/owner/move/archive', { body: { fileName: file.name, size: file.size } }, signal),
  );
  const onReceived = (sent: number) => upload.set({ fileName: file.name, size: file.size, sent, problem: undefined });
  const offset = initialState.archive?.received ?? 0;
  onReceived(offset);
  await sendInChunks({
    content: file,
    offset,
    chunkSize: CHUNK_BYTES,
    async send(body, from) {
      const moveState = cacheMove(
        await call('PUT /api/v2.6/owner/move/archive/content', { query: { offset: from }, body }, signal),
      );
      return moveState.archive?.received ?? file.size;
    },
    fetchOffset: async () => (await call('GET /api/v2.6/owner/move', {}, signal)).archive?.received ?? 0,
    onReceived,
    signal,
  });
}

export async function uploadArchive(file: File): Promise<void> {
  uploadAbort?.abort();
  const controller = new AbortController();
  uploadAbort = controller;
  upload.set({ fileName: file.name, size: file.size, sent: 0, problem: undefined });
  try {
    await sendChunks(file, controller.signal);
    upload.set(undefined);
  } catch (error) {
    if (!controller.signal.aborted)
      upload.set({ fileName: file.name, size: file.size, sent: 0, problem: toProblem(error) });
  }
}

export function cancelArchiveUpload(): void {
  uploadAbort?.abort();
  upload.set(undefined);
}
