import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import { MAX_JSON_BODY_BYTES } from '../../../../wire/limits.ts';
import { COMPARISON_MAX_MS } from '../../../../wire/work-limits.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { RecordStore } from '../store.ts';
import type { DigestStore } from './digest-store.ts';
import { isLargeJson } from './fingerprint.ts';
import type { FingerprintStore, UndigestedRecord } from './fingerprint-store.ts';

export type ComparisonCaller = {
  /** Decides whose reader thread computes the digests. */
  origin: Origin;
  /** Unix milliseconds after which no further digest is computed. Default: none. */
  deadline?: number;
  signal?: AbortSignal;
  /** Called before a thread is used. @throws Failure rate_limited */
  admitLongRead?: (() => void) | undefined;
};

/** `upTo`: sequence number of the last record that is compared. */
export type ComparedEndpoint = { path: string; upTo: number };

/**
 * Brings fingerprint indexes up to date. Small records are added in short transactions. Reader threads compute the
 * digests of large values, outside of transactions.
 *
 * All methods throw Failure query_limit_exceeded if a thread exceeds its limits, unavailable after the deadline,
 * rate_limited from `admitLongRead`, and the reason of an aborted `signal`. Digests that were stored before are kept.
 */
export type IndexBuilder = {
  /**
   * Brings the fingerprint index of an endpoint up to date.
   * @param compared.upTo sequence number of the last record that is needed; default: the newest one
   * @param compared.origin computes only digests of records of this origin; default: of all
   */
  prepareFingerprints(
    path: string,
    caller: ComparisonCaller,
    compared?: { upTo?: number; origin?: number | undefined },
  ): Promise<void>;
  digestsOfLargeValues(
    values: Iterable<string | Buffer>,
    caller: ComparisonCaller,
  ): Promise<ReadonlyMap<string | Buffer, string>>;
  digestLargeRecords(seqs: readonly number[], caller: ComparisonCaller): Promise<void>;
  /**
   * Runs a job in a transaction in which the indexes of the endpoints are complete up to `upTo`.
   * @throws Failure unavailable if large records of the endpoints cannot be compared for 30 s, because other requests
   *   keep changing them or a longer read occupies the thread
   */
  writeWithCompleteIndexes<T>(
    targets: readonly ComparedEndpoint[],
    caller: ComparisonCaller,
    job: (tx: Transaction) => T,
  ): Promise<T>;
};

export type IndexBuilderParts = {
  writer: Pick<Writer, 'write'>;
  endpoints: Pick<EndpointStore, 'find'>;
  store: Pick<RecordStore, 'seqs'>;
  fingerprints: FingerprintStore;
  digests: DigestStore;
  clock: Clock;
};

/** Maximum bytes of records that a thread reads in one request. A larger record is read by itself. */
const BATCH_MAX_BYTES = MAX_JSON_BODY_BYTES;
const RETRY_AFTER_SECONDS = 5;
/** Milliseconds before a failed comparison is repeated, or digests that could not be stored are computed again. */
const ATTEMPT_PAUSE_MS = 200;

const unavailableFailure = (reason: string): Failure =>
  new Failure('unavailable', `${reason} Try again. The comparison continues where it stopped.`, {
    headers: { 'retry-after': String(RETRY_AFTER_SECONDS) },
  });

/**
 * @param failingSince Unix milliseconds of the first of the successive failed attempts
 * @throws Failure unavailable if attempts have failed for too long
 */
export const waitForNextAttempt = async (failingSince: number, now: number, signal?: AbortSignal): Promise<void> => {
  if (now - failingSince >= COMPARISON_MAX_MS)
    throw unavailableFailure(
      `Large records could not be compared for ${COMPARISON_MAX_MS / 1000} s, because other requests keep changing them or a longer read is running.`,
    );
  await pause(ATTEMPT_PAUSE_MS, undefined, { signal });
};

function* batchesOf(records: readonly UndigestedRecord[]): Generator<number[], void, undefined> {
  let batch: number[] = [];
  let batchBytes = 0;
  for (const { seq, bytes } of records) {
    if (batch.length > 0 && batchBytes + bytes > BATCH_MAX_BYTES) {
      yield batch;
      batch = [];
      batchBytes = 0;
    }
    batch.push(seq);
    batchBytes += bytes;
  }
  if (batch.length > 0) yield batch;
}

export const createIndexBuilder = (parts: IndexBuilderParts): IndexBuilder => {
  const { writer, endpoints, store, fingerprints, digests, clock } = parts;

  const admitThreadWork = ({ deadline, signal, admitLongRead }: ComparisonCaller): void => {
    signal?.throwIfAborted();
    if (deadline !== undefined && clock.now() > deadline)
      throw unavailableFailure(
        `Large values could not be compared with all records within ${COMPARISON_MAX_MS / 1000} s. Nothing was stored.`,
      );
    admitLongRead?.();
  };

  /**
   * Computes and stores the digests of pending records. A record remains pending if it changed in the meantime, or if
   * the thread reads an older state of the database because it is still running a longer query. Pauses after a batch
   * in which a record remains pending, because the comparison is then repeated.
   */
  const digestAll = async (records: readonly UndigestedRecord[], caller: ComparisonCaller): Promise<void> => {
    for (const seqs of batchesOf(records)) {
      admitThreadWork(caller);
      const computedDigests = await digests.digestsOfPending(caller.origin, seqs);
      const storedDigests = await writer.write((tx) =>
        computedDigests.filter((digest) => fingerprints.storeDigest(tx, digest)),
      );
      if (storedDigests.length < seqs.length) await pause(ATTEMPT_PAUSE_MS, undefined, { signal: caller.signal });
    }
  };

  const newestSeqAt = (endpoint: number): number => {
    const page = { endpoint, from: Number.MAX_SAFE_INTEGER, take: 1, skip: 0 };
    return store.seqs('descending', page)[0] ?? -1;
  };

  const prepareFingerprints: IndexBuilder['prepareFingerprints'] = async (path, caller, { upTo, origin } = {}) => {
    const endpoint = endpoints.find(path);
    if (endpoint === undefined) return;
    // Ignores records that are stored during the loops, because a busy writer could keep them running forever.
    const lastSeq = upTo ?? newestSeqAt(endpoint);
    while (!fingerprints.covers(endpoint, lastSeq)) {
      caller.signal?.throwIfAborted();
      if ((await writer.write((tx) => fingerprints.catchUp(tx, endpoint))) === 0) break;
    }
    for (let after = -1; ;) {
      const records = fingerprints.pendingRecords({ endpoint, origin, after, upTo: lastSeq });
      const last = records.at(-1);
      if (last === undefined) return;
      await digestAll(records, caller);
      after = last.seq;
    }
  };

  const isIncomplete = ({ path, upTo }: ComparedEndpoint): boolean => {
    const endpoint = endpoints.find(path);
    return endpoint !== undefined && !fingerprints.isComplete(endpoint, upTo);
  };

  return {
    prepareFingerprints,

    async digestsOfLargeValues(values, caller) {
      const digestByValue = new Map<string | Buffer, string>();
      for (const value of values) {
        if (!isLargeJson(value) || digestByValue.has(value)) continue;
        admitThreadWork(caller);
        digestByValue.set(value, await digests.digestOf(caller.origin, value));
      }
      return digestByValue;
    },

    async digestLargeRecords(seqs, caller) {
      const records = fingerprints.undigestedRecords(seqs);
      if (records.length === 0) return;
      await writer.write((tx) =>
        fingerprints.addPending(
          tx,
          records.map(({ seq }) => seq),
        ),
      );
      await digestAll(records, caller);
    },

    async writeWithCompleteIndexes(targets, caller, job) {
      for (let failingSince: number | undefined; ;) {
        for (const { path, upTo } of targets) await prepareFingerprints(path, caller, { upTo });
        const outcome = await writer.write((tx) => (targets.some(isIncomplete) ? undefined : { result: job(tx) }));
        if (outcome !== undefined) return outcome.result;
        failingSince ??= clock.now();
        await waitForNextAttempt(failingSince, clock.now(), caller.signal);
      }
    },
  };
};
