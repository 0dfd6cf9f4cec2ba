import { queryOptions } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import type { MoveView } from '../../server/wire/move.ts';
import { call } from './client.ts';
import { type Problem, asProblem } from './problem.ts';
import { queryClient } from './queries.ts';
import { forgetToken } from './session.ts';

/** Moving a whole account. The key is the topic by which the PDA tells of changes. */

export type { ArchiveCounts, MoveView } from '../../server/wire/move.ts';

/** Milliseconds. While something runs the next step is not far. */
const LOOK_EVERY = 700;

const isMoving = ({ exporting, archive }: MoveView): boolean =>
  exporting !== null || archive?.state === 'checking' || archive?.state === 'importing';

export const move = queryOptions({
  queryKey: ['moves'],
  queryFn: ({ signal }) => call('GET /api/v2.6/owner/move', {}, signal),
  refetchInterval: (query) => (query.state.data !== undefined && isMoving(query.state.data) ? LOOK_EVERY : false),
});

const take = (now: MoveView): MoveView => {
  queryClient.setQueryData(move.queryKey, now);
  return now;
};

/** The browser's own download: it goes to the disk as it comes, and goes on when this page is left. */
export async function exportAll(password: string): Promise<void> {
  const { url } = await call('POST /api/v2.6/owner/move/exports', { body: { password } });
  const link = document.createElement('a');
  link.href = url;
  link.download = '';
  link.click();
  setTimeout(() => void queryClient.invalidateQueries({ queryKey: move.queryKey }), LOOK_EVERY);
}

export const forgetArchive = async (): Promise<MoveView> => take(await call('DELETE /api/v2.6/owner/move/archive', {}));
export const settleMove = async (): Promise<MoveView> => {
  const now = take(await call('POST /api/v2.6/owner/move/settle', {}));
  await queryClient.invalidateQueries();
  return now;
};

const POLL_MS = 300;
/** Of silence: an import of what is large takes its time, and says so. */
const LIMIT_MS = 5 * 60_000;

/** Begins the import, and waits until the PDA has started anew with it: then this session is over. @throws Problem when it came to nothing */
export async function importArchive(): Promise<void> {
  take(await call('POST /api/v2.6/owner/move/import', {}));
  for (let waited = 0; waited < LIMIT_MS; waited += POLL_MS) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    try {
      const now = take(await call('GET /api/v2.6/owner/move', {}));
      if (now.archive?.state === 'refused') return;
      if (now.archive?.state === 'importing') waited = 0;
    } catch (error) {
      // On its way down or up nobody answers; once it is up this session is unknown.
      if (asProblem(error).status === 401) break;
    }
  }
  forgetToken();
}

/** Bytes in one piece: large enough to be quick, small enough that a break loses little. */
const PIECE = 16_000_000;
const MAX_RETRIES = 5;

export type Sending = { fileName: string; size: number; sent: number; problem: Problem | undefined };

let sending: Sending | undefined;
let stop: AbortController | undefined;
const listeners = new Set<() => void>();
const say = (now: Sending | undefined): void => {
  sending = now;
  for (const listener of listeners) listener();
};

/** The upload of an archive. It lives outside the page: one may leave and come back while it goes on. */
export const useSending = (): Sending | undefined =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => sending,
  );

async function sendPieces(file: File, signal: AbortSignal): Promise<void> {
  const begun = take(
    await call('POST /api/v2.6/owner/move/archive', { body: { fileName: file.name, size: file.size } }, signal),
  );
  let offset = begun.archive?.received ?? 0;
  for (let failures = 0; offset < file.size;) {
    say({ fileName: file.name, size: file.size, sent: offset, problem: undefined });
    try {
      const now = await call(
        'PUT /api/v2.6/owner/move/archive/content',
        { query: { offset }, body: file.slice(offset, offset + PIECE) },
        signal,
      );
      offset = now.archive?.received ?? file.size;
      failures = 0;
      take(now);
    } catch (error) {
      const problem = asProblem(error);
      failures += 1;
      if (signal.aborted || (problem.status !== 0 && problem.status < 500 && problem.status !== 409)) throw problem;
      if (failures > MAX_RETRIES) throw problem;
      await new Promise((resolve) => setTimeout(resolve, 300 * 2 ** failures));
      // The PDA knows how much arrived.
      offset = (await call('GET /api/v2.6/owner/move', {}, signal)).archive?.received ?? offset;
    }
  }
}

export async function sendArchive(file: File): Promise<void> {
  stop?.abort();
  const mine = new AbortController();
  stop = mine;
  say({ fileName: file.name, size: file.size, sent: 0, problem: undefined });
  try {
    await sendPieces(file, mine.signal);
    say(undefined);
  } catch (error) {
    if (!mine.signal.aborted) say({ fileName: file.name, size: file.size, sent: 0, problem: asProblem(error) });
  }
}

export function stopSending(): void {
  stop?.abort();
  say(undefined);
}
