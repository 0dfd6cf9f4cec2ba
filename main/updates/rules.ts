import { parse } from 'semver';
import { z } from 'zod';
import { en, type Texts } from '../texts/en.ts';

const textSchema = z.string().min(1).max(4095);
const preparedSchema = z.object({
  from: textSchema,
  to: textSchema,
  preservedServer: textSchema,
  copy: textSchema,
});
export type PreparedUpdate = Readonly<z.infer<typeof preparedSchema>>;

const recordSchema = z.discriminatedUnion('phase', [
  z.object({ phase: z.literal('settled') }),
  /** Prepared; the installer runs or has run. */
  preparedSchema.extend({ phase: z.literal('installing') }),
  /** The new server was started `attempts` times and is not healthy yet. */
  preparedSchema.extend({ phase: z.literal('proving'), attempts: z.int().nonnegative() }),
  /** The new server did not become healthy: the database and the previous server are being restored. */
  preparedSchema.extend({ phase: z.literal('going-back'), reason: textSchema }),
  /** The previous server runs in the new app. */
  preparedSchema.extend({ phase: z.literal('gone-back'), reason: textSchema }),
]);
/** State of an update. Stored in a file, because the app restarts during an update. */
export type UpdateRecord = Readonly<z.infer<typeof recordSchema>>;

/** Decision at start. `next`: the record to write first; null if it is unchanged. */
export type StartDecision = {
  readonly kind: 'run-own' | 'test-new' | 'roll-back' | 'run-preserved';
  readonly next: UpdateRecord | null;
  readonly notice: UpdateNotice | null;
};

export type UpdateNotice = { readonly message: string; readonly detail: string };

/** Maximum number of tests of the new server. A single failure may be due to a busy machine. */
const MAX_ATTEMPTS = 2;
/** The server may copy and migrate a large database before its first response. */
export const FIRST_RESPONSE_TIMEOUT_MS = 600_000;
export const SECOND_CHECK_DELAY_MS = 5_000;

const SETTLED: UpdateRecord = { phase: 'settled' };

/**
 * Returns a negative number if `a` is older, a positive one if it is newer, 0 if both are equal, and null if a version
 * is invalid. A pre-release precedes its release.
 */
export function compareVersions(a: string, b: string): number | null {
  // semver accepts a leading "v"; our versions have none.
  const [first, second] = [a, b].map((text) => (/^\d/.test(text) ? parse(text) : null));
  return first == null || second == null ? null : first.compare(second);
}

export function shouldOffer(newVersion: string, currentVersion: string, record: UpdateRecord): boolean {
  const difference = compareVersions(newVersion, currentVersion);
  if (difference === null || difference <= 0) return false;
  return !(record.phase === 'gone-back' && compareVersions(newVersion, record.to) === 0);
}

/** Record of an earlier version, which named the folder of the preserved server `kept`. */
const earlierRecordSchema = z
  .looseObject({ kept: textSchema })
  .transform(({ kept, ...record }) => ({ ...record, preservedServer: kept }));

/** An invalid record counts as settled, so that the app runs its own server. */
export const parseRecord = (value: unknown): UpdateRecord =>
  recordSchema.safeParse(earlierRecordSchema.safeParse(value).data ?? value).data ?? SETTLED;

export function decideStart(record: UpdateRecord, version: string, texts: Texts = en): StartDecision {
  if (record.phase === 'settled') return { kind: 'run-own', next: null, notice: null };
  const { from, to, preservedServer, copy } = record;
  const prepared: PreparedUpdate = { from, to, preservedServer, copy };
  const comparedToPrevious = compareVersions(version, record.from);
  // The update was not installed, or the owner installed an older version.
  if (comparedToPrevious === null || comparedToPrevious <= 0) {
    const notice = record.phase === 'installing' && comparedToPrevious === 0 ? notInstalled(record.to, texts) : null;
    return { kind: 'run-own', next: SETTLED, notice };
  }
  const isPreparedVersion = compareVersions(version, record.to) === 0;
  if (record.phase === 'installing' || !isPreparedVersion)
    return { kind: 'test-new', next: { phase: 'proving', ...prepared, to: version, attempts: 0 }, notice: null };
  if (record.phase === 'going-back') return { kind: 'roll-back', next: null, notice: null };
  if (record.phase === 'gone-back') return { kind: 'run-preserved', next: null, notice: null };
  if (record.attempts < MAX_ATTEMPTS) return { kind: 'test-new', next: null, notice: null };
  // The last attempt was interrupted before it recorded a result: the machine or the app went down.
  const reason = texts.updates.testInterrupted;
  return { kind: 'roll-back', next: { phase: 'going-back', ...prepared, reason }, notice: null };
}

/** Returns the record after a failed test. @param attempts number of tests so far */
export function recordAfterFailure(prepared: PreparedUpdate, attempts: number, reason: string): UpdateRecord {
  const { from, to, preservedServer, copy } = prepared;
  return attempts < MAX_ATTEMPTS
    ? { phase: 'proving', from, to, preservedServer, copy, attempts }
    : { phase: 'going-back', from, to, preservedServer, copy, reason };
}

const notInstalled = (to: string, { updates }: Texts): UpdateNotice => ({
  message: updates.notInstalled(to),
  detail: updates.notInstalledText,
});

export const rollbackNotice = (
  { from, to }: PreparedUpdate,
  reason: string,
  database: string,
  { updates }: Texts = en,
): UpdateNotice => ({
  message: updates.rolledBack(from),
  detail: updates.rolledBackText(from, to, reason, database),
});

export const failedRollbackNotice = (
  { from, to }: PreparedUpdate,
  reason: string,
  cause: string,
  { failure, updates }: Texts = en,
): UpdateNotice => ({
  message: failure.notRunning,
  detail: updates.rollbackFailedText(from, to, reason, cause),
});

export const updatedNotice = ({ from, to }: PreparedUpdate, { updates }: Texts = en): UpdateNotice => ({
  message: updates.updated(to),
  detail: updates.updatedText(from),
});
