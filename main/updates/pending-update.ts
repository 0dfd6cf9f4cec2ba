import { messageOf } from '../../server/wire/values.ts';
import type { Parts } from '../server/installation.ts';
import { createServerProcess, type ServerState } from '../server/process.ts';
import type { ServerCommand } from '../server/launch.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateFile } from './update-file.ts';
import {
  afterFailure,
  ANSWER_WITHIN_MS,
  atStart,
  couldNotGoBack,
  STILL_AFTER_MS,
  updated,
  wentBack,
  type PreparedUpdate,
  type UpdateRecord,
  type UpdateNotice,
} from './rules.ts';
import { removePreservedServers, partsOfPreserved, type Copies } from './server-copies.ts';

/** The parts to continue with; null: none, and the words explain why. */
export type CompletedUpdate = { readonly parts: Parts | null; readonly notice: UpdateNotice | null };

export type CompleteUpdateParts = {
  readonly file: UpdateFile;
  /** Version of this app. */
  readonly version: string;
  /** Parts of this app. */
  readonly ownParts: Parts;
  /** Folder of the previous servers. */
  readonly keptFolder: string;
  readonly copies: Copies;
  readonly commandOf: (parts: Parts) => ServerCommand;
  /** Returns why the server must not start on the home now; called before each attempt. */
  readonly whyNot?: () => string | null;
  readonly texts: Texts;
  readonly onLog?: (line: string) => void;
  /** For tests. */
  readonly responseTimeoutMs?: number;
  readonly stillAfterMs?: number;
  readonly healthMs?: number;
  /** Aborted when the owner quits: an attempt that was cancelled this way does not count. */
  readonly quit?: AbortSignal;
};

const HEALTH_MS = 5_000;

const QUIT = Symbol('the owner has quit');
/** The home is in use or cannot be reached: a rollback would not help. */
const NOT_ITS_FAULT = Symbol('not the fault of the new version');
type Hindrance = string | typeof QUIT | typeof NOT_ITS_FAULT;
const PROBLEMS_OF_THE_HOME: ReadonlySet<string | undefined> = new Set(['in_use', 'unusable', 'not_a_pda']);

/**
 * Completes a pending update before the server starts. Tests the new server (it responds, and still does after a
 * while). If it fails twice, restores the previous server and, if the new one changed the database, the copy from
 * before. Each step is recorded before it runs, so that it resumes after a power failure.
 */
export async function completeUpdate(parts: CompleteUpdateParts): Promise<CompletedUpdate> {
  const { file, ownParts, version, texts } = parts;
  let record = file.read();
  const start = atStart(record, version, texts);
  if (start.next !== null) {
    file.write(start.next);
    record = start.next;
  }
  if (start.kind === 'run-ours') {
    if (start.next !== null) await removePreservedServers(parts.keptFolder);
    return { parts: ownParts, notice: start.notice };
  }
  while (record.phase === 'proving') {
    const attempts = record.attempts + 1;
    file.write({ ...record, attempts });
    const outcome = await testNewServer(parts);
    // A shutdown of the computer may end the server before it reports to the app.
    const failure = outcome !== null && parts.quit?.aborted === true ? QUIT : outcome;
    if (failure === QUIT || failure === NOT_ITS_FAULT) {
      // Tested another time. The normal start reports the obstacle, too.
      file.write(record);
      return { parts: failure === QUIT ? null : ownParts, notice: null };
    }
    if (failure === null) {
      file.write({ phase: 'settled' });
      await removePreservedServers(parts.keptFolder);
      return { parts: ownParts, notice: updated(record, texts) };
    }
    record = afterFailure(record, attempts, failure);
    file.write(record);
  }
  // The owner has quit: a step begun now would delay that. It runs at the next start.
  if (parts.quit?.aborted === true) return { parts: null, notice: null };
  if (record.phase === 'going-back') return goBack(parts, record);
  if (record.phase === 'gone-back') return { parts: partsOfPreserved(record.kept, process.platform), notice: null };
  return { parts: ownParts, notice: null };
}

async function goBack(
  { file, copies, texts }: CompleteUpdateParts,
  record: Extract<UpdateRecord, { phase: 'going-back' }>,
): Promise<CompletedUpdate> {
  const previousParts = partsOfPreserved(record.kept, process.platform);
  const prepared: PreparedUpdate = record;
  try {
    const databaseMessage = await copies.bringBack(previousParts, record.copy);
    file.write({ ...record, phase: 'gone-back' });
    return { parts: previousParts, notice: wentBack(prepared, record.reason, databaseMessage, texts) };
  } catch (cause) {
    const why = messageOf(cause);
    return { parts: null, notice: couldNotGoBack(prepared, record.reason, why, texts) };
  }
}

/**
 * Starts the new server and checks its health twice: when it responds, and a while later. Then stops it in order.
 * @returns null if it is healthy; otherwise why not
 */
async function testNewServer(parts: CompleteUpdateParts): Promise<Hindrance | null> {
  const { texts, healthMs = HEALTH_MS } = parts;
  const server = createServerProcess({
    command: parts.commandOf(parts.ownParts),
    limits: { startMs: parts.responseTimeoutMs ?? ANSWER_WITHIN_MS, maxQuickCrashes: 1 },
    texts,
    ...(parts.whyNot === undefined ? {} : { whyNot: parts.whyNot }),
    ...(parts.onLog === undefined ? {} : { onLog: parts.onLog }),
  });
  const { promise: quit, resolve: onQuit } = Promise.withResolvers<typeof QUIT>();
  const onAbort = (): void => onQuit(QUIT);
  parts.quit?.addEventListener('abort', onAbort, { once: true });
  if (parts.quit?.aborted === true) onAbort();
  try {
    const serverFailure = untilState<Hindrance>(server, (state) =>
      state.kind === 'failed' ? failureOf(state) : undefined,
    );
    const running = untilState(server, (state) => (state.kind === 'running' ? state : undefined));
    server.start();
    const first = await Promise.race([running, serverFailure, quit]);
    if (typeof first !== 'object') return first;
    const firstCheck = await Promise.race([checkHealth(first.address, healthMs, texts), serverFailure, quit]);
    if (firstCheck !== null) return firstCheck;
    let timer: NodeJS.Timeout | undefined;
    const stillHealthy = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), parts.stillAfterMs ?? STILL_AFTER_MS);
    });
    const interruption = await Promise.race([stillHealthy, serverFailure, quit]);
    clearTimeout(timer);
    return interruption ?? (await Promise.race([checkHealth(first.address, healthMs, texts), serverFailure, quit]));
  } finally {
    parts.quit?.removeEventListener('abort', onAbort);
    await server.close();
  }
}

function untilState<T>(
  server: ReturnType<typeof createServerProcess>,
  find: (state: ServerState) => T | undefined,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  server.subscribe((state) => {
    const result = find(state);
    if (result !== undefined) resolve(result);
  });
  return promise;
}

function failureOf({ reason, problem, lastLines }: Extract<ServerState, { kind: 'failed' }>): Hindrance {
  if (PROBLEMS_OF_THE_HOME.has(problem)) return NOT_ITS_FAULT;
  if (problem !== undefined) return reason;
  const last = lastLines.at(-1)?.slice(0, 300);
  return last === undefined ? reason : `${reason} (${last})`;
}

/** Returns null if the server reports that it is healthy. A damaged database makes it respond with 503. */
async function checkHealth(address: string, healthMs: number, { updates }: Texts): Promise<string | null> {
  try {
    const response = await fetch(`${address}/healthz`, {
      signal: AbortSignal.timeout(healthMs),
      redirect: 'manual',
    });
    await response.body?.cancel();
    return response.status === 200 ? null : updates.notWell(response.status);
  } catch {
    return updates.silent;
  }
}
