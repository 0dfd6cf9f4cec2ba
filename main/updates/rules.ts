import { parse } from 'semver';
import { en, type Texts } from '../texts/en.ts';

/** What an update left to be done. Kept in a file, because the app ends and starts again in the middle. */
export type UpdateRecord =
  /** Nothing is going on. */
  | { readonly phase: 'settled' }
  /** All is prepared; the installer runs, or has run. */
  | (Prepared & { readonly phase: 'installing' })
  /** The new version's server has been begun `attempts` times and was not yet found healthy. */
  | (Prepared & { readonly phase: 'proving'; readonly attempts: number })
  /** It did not become healthy: the database and the server of before are being put back. */
  | (Prepared & { readonly phase: 'going-back'; readonly reason: string })
  /** The server of before runs, in the app of after. */
  | (Prepared & { readonly phase: 'gone-back'; readonly reason: string });

export type Prepared = {
  readonly from: string;
  readonly to: string;
  /** Folder with the server of `from`, as an app carries it. */
  readonly kept: string;
  /** Name of the database's copy. */
  readonly copy: string;
};

/** What a start has to do. `next` is to be written before; null: the record is right as it is. */
export type AtStart = {
  readonly kind: 'run-ours' | 'prove' | 'go-back' | 'run-kept';
  readonly next: UpdateRecord | null;
  readonly words: UpdateWords | null;
};

/** For a dialog or a notice. */
export type UpdateWords = { readonly message: string; readonly detail: string };

/** A server that does not become healthy at once may have met a busy machine; one that does not twice is broken. */
const MAX_ATTEMPTS = 2;
/** Milliseconds that a server has to answer: it may have to copy and migrate a large database first. */
export const ANSWER_WITHIN_MS = 600_000;
/** Milliseconds after its first answer at which it must still answer. */
export const STILL_AFTER_MS = 5_000;

const SETTLED: UpdateRecord = { phase: 'settled' };
/** Below 0: the first is older; above: newer; 0: the same; null: one of them is no version. An early version (`1.0.0-beta.2`) comes before its final one. */
export function compareVersions(a: string, b: string): number | null {
  // semver takes a leading "v" too; our versions have none.
  const [first, second] = [a, b].map((text) => (/^\d/.test(text) ? parse(text) : null));
  return first == null || second == null ? null : first.compare(second);
}

/** Whether a version is offered to the owner: newer than this one, and not one that was gone back from. */
export function isOffered(offered: string, current: string, record: UpdateRecord): boolean {
  const difference = compareVersions(offered, current);
  if (difference === null || difference <= 0) return false;
  return !(record.phase === 'gone-back' && compareVersions(offered, record.to) === 0);
}

/** Reads the record. Whatever is not one counts as settled: then the app runs its own server, as one that was installed anew does. */
export function readRecord(value: unknown): UpdateRecord {
  if (typeof value !== 'object' || value === null) return SETTLED;
  const { phase, from, to, kept, copy, attempts, reason } = value as Readonly<Record<string, unknown>>;
  if (!isText(from) || !isText(to) || !isText(kept) || !isText(copy)) return SETTLED;
  const prepared: Prepared = { from, to, kept, copy };
  if (phase === 'installing') return { phase, ...prepared };
  if (phase === 'proving' && typeof attempts === 'number' && Number.isSafeInteger(attempts) && attempts >= 0)
    return { phase, ...prepared, attempts };
  if ((phase === 'going-back' || phase === 'gone-back') && isText(reason)) return { phase, ...prepared, reason };
  return SETTLED;
}

/** What a start of this version does with the record that it finds. */
export function atStart(record: UpdateRecord, version: string, texts: Texts = en): AtStart {
  if (record.phase === 'settled') return { kind: 'run-ours', next: null, words: null };
  const prepared: Prepared = { from: record.from, to: record.to, kept: record.kept, copy: record.copy };
  const sinceBefore = compareVersions(version, record.from);
  // Somebody put another version here by hand: its own server knows its data, or refuses it with a reason.
  if (sinceBefore === null || sinceBefore <= 0) {
    const words = record.phase === 'installing' && sinceBefore === 0 ? notInstalled(record.to, texts) : null;
    return { kind: 'run-ours', next: SETTLED, words };
  }
  const isNewest = compareVersions(version, record.to) === 0;
  if (record.phase === 'installing' || !isNewest)
    return { kind: 'prove', next: { phase: 'proving', ...prepared, to: version, attempts: 0 }, words: null };
  if (record.phase === 'going-back') return { kind: 'go-back', next: null, words: null };
  if (record.phase === 'gone-back') return { kind: 'run-kept', next: null, words: null };
  if (record.attempts < MAX_ATTEMPTS) return { kind: 'prove', next: null, words: null };
  // It was begun as often as it may be, and nobody was left to write down how that ended: the machine or the app went down with it.
  const reason = texts.updates.begunTwice;
  return { kind: 'go-back', next: { phase: 'going-back', ...prepared, reason }, words: null };
}

/** What follows an attempt that failed. @param attempts how many have been begun */
export function afterFailure(prepared: Prepared, attempts: number, reason: string): UpdateRecord {
  const { from, to, kept, copy } = prepared;
  return attempts < MAX_ATTEMPTS
    ? { phase: 'proving', from, to, kept, copy, attempts }
    : { phase: 'going-back', from, to, kept, copy, reason };
}

const notInstalled = (to: string, { updates }: Texts): UpdateWords => ({
  message: updates.notInstalled(to),
  detail: updates.notInstalledText,
});

/** After a way back that succeeded. @param database what the kept server said of the database */
export const wentBack = (
  { from, to }: Prepared,
  reason: string,
  database: string,
  { updates }: Texts = en,
): UpdateWords => ({
  message: updates.wentBack(from),
  detail: updates.wentBackText(from, to, reason, database),
});

/** After a way back that did not succeed. */
export const couldNotGoBack = (
  { from, to }: Prepared,
  reason: string,
  why: string,
  { failure, updates }: Texts = en,
): UpdateWords => ({
  message: failure.notRunning,
  detail: updates.notBackText(from, to, reason, why),
});

export const updated = ({ from, to }: Prepared, { updates }: Texts = en): UpdateWords => ({
  message: updates.updated(to),
  detail: updates.updatedText(from),
});

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length < 4096;
}
