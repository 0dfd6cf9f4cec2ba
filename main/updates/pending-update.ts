import { messageOf } from '../../server/wire/values.ts';
import type { Installation } from '../server/installation.ts';
import { createServerProcess, type ServerState } from '../server/process.ts';
import type { ServerCommand } from '../server/launch.ts';
import type { Texts } from '../texts/en.ts';
import type { UpdateFile } from './update-file.ts';
import {
  recordAfterFailure,
  FIRST_RESPONSE_TIMEOUT_MS,
  decideStart,
  failedRollbackNotice,
  SECOND_CHECK_DELAY_MS,
  updatedNotice,
  rollbackNotice,
  type PreparedUpdate,
  type UpdateRecord,
  type UpdateNotice,
} from './rules.ts';
import { removePreservedServers, preservedInstallation, type DatabaseCopies } from './server-copies.ts';

/** `installation`: null if no server can run, as the notice explains, or if the owner has quit. */
export type CompletedUpdate = { readonly installation: Installation | null; readonly notice: UpdateNotice | null };

export type CompleteUpdateOptions = {
  readonly file: UpdateFile;
  readonly version: string;
  readonly ownInstallation: Installation;
  readonly preservedServersFolder: string;
  readonly copies: DatabaseCopies;
  readonly commandOf: (installation: Installation) => ServerCommand;
  readonly findStartObstacle?: () => string | null;
  readonly texts: Texts;
  readonly onLog?: (line: string) => void;
  /** For tests, like the next two options. */
  readonly responseTimeoutMs?: number;
  readonly secondCheckDelayMs?: number;
  readonly healthTimeoutMs?: number;
  /** Aborted when the owner quits. An attempt that is cancelled this way does not count. */
  readonly quit?: AbortSignal;
};

const HEALTH_TIMEOUT_MS = 5_000;
const MAX_QUOTED_LINE_CHARS = 300;

const QUIT = Symbol('the owner has quit');
/** The home is in use or unusable, which is not the fault of the new version, so a rollback would not help. */
const HOME_UNAVAILABLE = Symbol('the home is unavailable');
/** A string is a text for the owner: the new server is at fault. */
type TestFailure = string | typeof QUIT | typeof HOME_UNAVAILABLE;
const HOME_PROBLEMS: ReadonlySet<string | undefined> = new Set(['in_use', 'unusable', 'not_a_pda']);

/**
 * Completes a pending update before the server starts. The new server must respond, and respond again after a while. If
 * this test fails twice, restores the previous server and, if that cannot open the database, the copy from before the
 * update. Each step is recorded before it runs, so that it is resumed after a power failure.
 * @throws {Error} if a step cannot be recorded or a preserved server cannot be removed
 */
export async function completeUpdate(options: CompleteUpdateOptions): Promise<CompletedUpdate> {
  const { file, ownInstallation, version, texts } = options;
  let record = file.read();
  const start = decideStart(record, version, texts);
  if (start.next !== null) {
    file.write(start.next);
    record = start.next;
  }
  if (start.kind === 'run-own') {
    if (start.next !== null) await removePreservedServers(options.preservedServersFolder);
    return { installation: ownInstallation, notice: start.notice };
  }
  while (record.phase === 'proving') {
    const attempts = record.attempts + 1;
    file.write({ ...record, attempts });
    const outcome = await testNewServer(options);
    // When the computer shuts down, the server may exit before the app receives the request to quit.
    const failure = outcome !== null && options.quit?.aborted === true ? QUIT : outcome;
    if (failure === QUIT || failure === HOME_UNAVAILABLE) {
      // The next start tests again. If the home is unavailable, the normal start reports it.
      file.write(record);
      return { installation: failure === QUIT ? null : ownInstallation, notice: null };
    }
    if (failure === null) {
      file.write({ phase: 'settled' });
      await removePreservedServers(options.preservedServersFolder);
      return { installation: ownInstallation, notice: updatedNotice(record, texts) };
    }
    record = recordAfterFailure(record, attempts, failure);
    file.write(record);
  }
  // The owner has quit, and a rollback would delay the exit. The next start rolls back.
  if (options.quit?.aborted === true) return { installation: null, notice: null };
  if (record.phase === 'going-back') return rollBack(options, record);
  if (record.phase === 'gone-back')
    return { installation: preservedInstallation(record.preservedServer, process.platform), notice: null };
  return { installation: ownInstallation, notice: null };
}

async function rollBack(
  { file, copies, texts }: CompleteUpdateOptions,
  record: Extract<UpdateRecord, { phase: 'going-back' }>,
): Promise<CompletedUpdate> {
  const previousInstallation = preservedInstallation(record.preservedServer, process.platform);
  const prepared: PreparedUpdate = record;
  try {
    const databaseMessage = await copies.restore(previousInstallation, record.copy);
    file.write({ ...record, phase: 'gone-back' });
    return {
      installation: previousInstallation,
      notice: rollbackNotice(prepared, record.reason, databaseMessage, texts),
    };
  } catch (cause) {
    return { installation: null, notice: failedRollbackNotice(prepared, record.reason, messageOf(cause), texts) };
  }
}

/**
 * Tests the new server.
 * @returns null if the server is healthy when it responds and a while later; otherwise the reason
 */
async function testNewServer(options: CompleteUpdateOptions): Promise<TestFailure | null> {
  const { texts, healthTimeoutMs = HEALTH_TIMEOUT_MS } = options;
  const server = createServerProcess({
    command: options.commandOf(options.ownInstallation),
    limits: { startMs: options.responseTimeoutMs ?? FIRST_RESPONSE_TIMEOUT_MS, maxQuickCrashes: 1 },
    texts,
    ...(options.findStartObstacle === undefined ? {} : { findStartObstacle: options.findStartObstacle }),
    ...(options.onLog === undefined ? {} : { onLog: options.onLog }),
  });
  const { promise: quit, resolve: onQuit } = Promise.withResolvers<typeof QUIT>();
  const onAbort = (): void => onQuit(QUIT);
  options.quit?.addEventListener('abort', onAbort, { once: true });
  if (options.quit?.aborted === true) onAbort();
  try {
    const serverFailure = waitForState<TestFailure>(server, (state) =>
      state.kind === 'failed' ? failureOf(state) : undefined,
    );
    const whenRunning = waitForState(server, (state) => (state.kind === 'running' ? state : undefined));
    server.start();
    const runningState = await Promise.race([whenRunning, serverFailure, quit]);
    if (typeof runningState !== 'object') return runningState;
    const { address } = runningState;
    const firstCheck = await Promise.race([checkHealth(address, healthTimeoutMs, texts), serverFailure, quit]);
    if (firstCheck !== null) return firstCheck;
    let timer: NodeJS.Timeout | undefined;
    const secondCheckDelay = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), options.secondCheckDelayMs ?? SECOND_CHECK_DELAY_MS);
    });
    const interruption = await Promise.race([secondCheckDelay, serverFailure, quit]);
    clearTimeout(timer);
    return interruption ?? (await Promise.race([checkHealth(address, healthTimeoutMs, texts), serverFailure, quit]));
  } finally {
    options.quit?.removeEventListener('abort', onAbort);
    await server.close();
  }
}

function waitForState<T>(
  server: ReturnType<typeof createServerProcess>,
  select: (state: ServerState) => T | undefined,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  server.subscribe((state) => {
    const selectedValue = select(state);
    if (selectedValue !== undefined) resolve(selectedValue);
  });
  return promise;
}

function failureOf({ reason, problem, lastLines }: Extract<ServerState, { kind: 'failed' }>): TestFailure {
  if (HOME_PROBLEMS.has(problem)) return HOME_UNAVAILABLE;
  if (problem !== undefined) return reason;
  const lastLine = lastLines.at(-1)?.slice(0, MAX_QUOTED_LINE_CHARS);
  return lastLine === undefined ? reason : `${reason} (${lastLine})`;
}

async function checkHealth(address: string, healthTimeoutMs: number, { updates }: Texts): Promise<string | null> {
  try {
    const response = await fetch(`${address}/healthz`, {
      signal: AbortSignal.timeout(healthTimeoutMs),
      redirect: 'manual',
    });
    await response.body?.cancel();
    return response.status === 200 ? null : updates.unhealthy(response.status);
  } catch {
    return updates.didNotRespond;
  }
}
