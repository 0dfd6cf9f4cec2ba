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
  type Prepared,
  type UpdateRecord,
  type UpdateWords,
} from './rules.ts';
import { forgetServers, partsOfKept, type Copies } from './server-copies.ts';

/** With which parts the app goes on. Null: with none, and the words say why. */
export type Settled = { readonly parts: Parts | null; readonly words: UpdateWords | null };

export type SettleParts = {
  readonly file: UpdateFile;
  /** Of this app. */
  readonly version: string;
  /** What this app carries. */
  readonly ours: Parts;
  /** Where servers of before are kept. */
  readonly keptFolder: string;
  readonly copies: Copies;
  readonly commandOf: (parts: Parts) => ServerCommand;
  /** Why a server must not be started on the home now, asked before each try. */
  readonly whyNot?: () => string | null;
  readonly texts: Texts;
  readonly onLog?: (line: string) => void;
  /** For tests. */
  readonly answerWithinMs?: number;
  readonly stillAfterMs?: number;
  readonly healthMs?: number;
  /** Aborted when the owner quits: an attempt that was cut off that way does not count. */
  readonly quit?: AbortSignal;
};

const HEALTH_MS = 5_000;

const QUIT = Symbol('the owner has quit');
/** The home is in use or cannot be reached: the server of before would meet the same. */
const NOT_ITS_FAULT = Symbol('not the fault of the new version');
type Hindrance = string | typeof QUIT | typeof NOT_ITS_FAULT;
const PROBLEMS_OF_THE_HOME: ReadonlySet<string | undefined> = new Set(['in_use', 'unusable', 'not_a_pda']);

/**
 * Before the server of this app is started for its owner: finishes what an update began. A new server is proven first (it answers, and still does after a
 * while); one that fails twice gives way to the server of before and, where it has changed the database, to the copy that was made before. Each step is
 * written down before it is made, so that a machine that dies in between goes on from there.
 */
export async function settleUpdate(parts: SettleParts): Promise<Settled> {
  const { file, ours, version, texts } = parts;
  let record = file.read();
  const start = atStart(record, version, texts);
  if (start.next !== null) {
    file.write(start.next);
    record = start.next;
  }
  if (start.kind === 'run-ours') {
    if (start.next !== null) await forgetServers(parts.keptFolder);
    return { parts: ours, words: start.words };
  }
  while (record.phase === 'proving') {
    const attempts = record.attempts + 1;
    file.write({ ...record, attempts });
    const outcome = await prove(parts);
    // A computer that is switched off may end the server before it tells us.
    const failure = outcome !== null && parts.quit?.aborted === true ? QUIT : outcome;
    if (failure === QUIT || failure === NOT_ITS_FAULT) {
      // Proven another time. What is in the way is told by the ordinary start, which meets it as well.
      file.write(record);
      return { parts: failure === QUIT ? null : ours, words: null };
    }
    if (failure === null) {
      file.write({ phase: 'settled' });
      await forgetServers(parts.keptFolder);
      return { parts: ours, words: updated(record, texts) };
    }
    record = afterFailure(record, attempts, failure);
    file.write(record);
  }
  // What is begun now would keep the owner waiting, who has quit. It is begun at the next start.
  if (parts.quit?.aborted === true) return { parts: null, words: null };
  if (record.phase === 'going-back') return goBack(parts, record);
  if (record.phase === 'gone-back') return { parts: partsOfKept(record.kept, process.platform), words: null };
  return { parts: ours, words: null };
}

async function goBack(
  { file, copies, texts }: SettleParts,
  record: Extract<UpdateRecord, { phase: 'going-back' }>,
): Promise<Settled> {
  const kept = partsOfKept(record.kept, process.platform);
  const prepared: Prepared = record;
  try {
    const said = await copies.bringBack(kept, record.copy);
    file.write({ ...record, phase: 'gone-back' });
    return { parts: kept, words: wentBack(prepared, record.reason, said, texts) };
  } catch (cause) {
    const why = messageOf(cause);
    return { parts: null, words: couldNotGoBack(prepared, record.reason, why, texts) };
  }
}

/**
 * Starts the server of this app once and looks whether it is healthy, twice: when it says so, and a while later. Then it is stopped in order.
 *
 * @returns null when it was; else why not
 */
async function prove(parts: SettleParts): Promise<Hindrance | null> {
  const { texts, healthMs = HEALTH_MS } = parts;
  const server = createServerProcess({
    command: parts.commandOf(parts.ours),
    limits: { startMs: parts.answerWithinMs ?? ANSWER_WITHIN_MS, maxQuickCrashes: 1 },
    texts,
    ...(parts.whyNot === undefined ? {} : { whyNot: parts.whyNot }),
    ...(parts.onLog === undefined ? {} : { onLog: parts.onLog }),
  });
  const { promise: quit, resolve: onQuit } = Promise.withResolvers<typeof QUIT>();
  const tell = (): void => onQuit(QUIT);
  parts.quit?.addEventListener('abort', tell, { once: true });
  if (parts.quit?.aborted === true) tell();
  try {
    const ended = untilState<Hindrance>(server, (state) => (state.kind === 'failed' ? failureOf(state) : undefined));
    const running = untilState(server, (state) => (state.kind === 'running' ? state : undefined));
    server.start();
    const first = await Promise.race([running, ended, quit]);
    if (typeof first !== 'object') return first;
    const looked = await Promise.race([look(first.address, healthMs, texts), ended, quit]);
    if (looked !== null) return looked;
    let timer: NodeJS.Timeout | undefined;
    const later = new Promise<null>((resolve) => {
      timer = setTimeout(() => resolve(null), parts.stillAfterMs ?? STILL_AFTER_MS);
    });
    const waited = await Promise.race([later, ended, quit]);
    clearTimeout(timer);
    return waited ?? (await Promise.race([look(first.address, healthMs, texts), ended, quit]));
  } finally {
    parts.quit?.removeEventListener('abort', tell);
    await server.close();
  }
}

function untilState<T>(
  server: ReturnType<typeof createServerProcess>,
  find: (state: ServerState) => T | undefined,
): Promise<T> {
  const { promise, resolve } = Promise.withResolvers<T>();
  server.subscribe((state) => {
    const found = find(state);
    if (found !== undefined) resolve(found);
  });
  return promise;
}

function failureOf({ reason, problem, lastLines }: Extract<ServerState, { kind: 'failed' }>): Hindrance {
  if (PROBLEMS_OF_THE_HOME.has(problem)) return NOT_ITS_FAULT;
  if (problem !== undefined) return reason;
  const last = lastLines.at(-1)?.slice(0, 300);
  return last === undefined ? reason : `${reason} (${last})`;
}

/** Null when it answers that it is well. A database that is damaged makes it answer 503. */
async function look(address: string, healthMs: number, { updates }: Texts): Promise<string | null> {
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
