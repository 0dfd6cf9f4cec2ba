import { createMutex } from '../../../../platform/async/mutex.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { RecordMoveRequest, RecordMoveResult } from '../../../../wire/record-moves.ts';
import { TRANSACTION_MAX_BYTES, TRANSACTION_MAX_RECORDS } from '../../../../wire/work-limits.ts';
import type { EndpointStore, Origin } from '../../../core/endpoint-store.ts';
import type { EventService } from '../../../core/events/service.ts';
import { seqOfId } from '../../../core/sequence.ts';
import type { UsageStore } from '../../../core/usage-store.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import { createRecordEvent, type ChangeContext } from '../changes/change-events.ts';
import type { FingerprintStore } from '../deduplication/fingerprint-store.ts';
import { waitForNextAttempt } from '../deduplication/index-builder.ts';
import type { PageOffsetIndex } from '../paging/page-offset-index.ts';
import type { RecordService } from '../service.ts';
import type { RecordRow } from '../store.ts';
import type { RecordMoveStore } from './store.ts';

/** `seqs`: sequence numbers of the moved records. `error`: reason why other records were not moved. */
export type RecordMoveOutcome = Omit<RecordMoveResult, 'problem'> & { seqs: number[]; error?: unknown };

export type RecordMoveService = ReturnType<typeof createRecordMoveService>;

export type RecordMoveParts = {
  store: RecordMoveStore;
  service: Pick<RecordService, 'find' | 'prepareFingerprints' | 'digestLargeRecords'>;
  endpoints: Pick<EndpointStore, 'find' | 'intern' | 'internOrigin'>;
  fingerprints: FingerprintStore;
  pageOffsets: PageOffsetIndex;
  usage: UsageStore;
  writer: Writer;
  events: EventService;
  clock: Clock;
};

type ChunkOutcome = { examined: number; moved: RecordRow[]; equal: string[]; missing: number };

export const createRecordMoveService = (parts: RecordMoveParts) => {
  const { store, service, endpoints, fingerprints, pageOffsets, usage, writer, events, clock } = parts;
  // If the connection breaks, an undo can arrive before the move has ended. The undo has to find all moved records.
  const runInOrder = createMutex();

  /**
   * Brings the fingerprint index up to date, and returns whether the endpoint has a record with equal data; undefined
   * if the digest of a large record is missing.
   */
  const searchForEqual = (tx: Transaction, endpoint: number | undefined, record: RecordRow): boolean | undefined => {
    if (endpoint === undefined) return false;
    while (fingerprints.catchUp(tx, endpoint) > 0);
    const value = fingerprints.valueOf(record);
    if (value === undefined || fingerprints.hasPending({ endpoint, origin: undefined })) return undefined;
    return fingerprints.findEqual(endpoint, value, Number.MAX_SAFE_INTEGER) !== undefined;
  };

  const moveRecord = (
    tx: Transaction,
    record: RecordRow,
    { from, to, endpoint }: { from: string; to: string; endpoint: number },
    change: ChangeContext,
  ): void => {
    const { seq, origin } = record;
    const movedRecord = { ...record, endpoint };
    const bytes = Buffer.byteLength(record.data);
    store.relocate(tx, seq, endpoint);
    fingerprints.removeRecord(tx, record);
    fingerprints.restoreRecord(tx, movedRecord);
    pageOffsets.drop(record.endpoint);
    pageOffsets.drop(endpoint);
    usage.add(tx, { endpoint: record.endpoint, origin, bytes: -bytes });
    usage.add(tx, { endpoint, origin, bytes });
    store.add(tx, seq, { time: change.time, origin: change.origin, from, to });
    events.report(tx, createRecordEvent('deleted', record, -bytes, change));
    events.report(tx, createRecordEvent('restored', movedRecord, bytes, change));
  };

  const moveChunk = (
    tx: Transaction,
    { from, to, moveEqual }: RecordMoveRequest,
    ids: readonly string[],
    origin: Origin,
  ): ChunkOutcome => {
    const change = { origin: endpoints.internOrigin(tx, origin), time: clock.now() };
    const outcome: ChunkOutcome = { examined: 0, moved: [], equal: [], missing: 0 };
    let endpoint = endpoints.find(to);
    let bytes = 0;
    for (const id of ids) {
      if (outcome.examined === TRANSACTION_MAX_RECORDS || bytes >= TRANSACTION_MAX_BYTES) break;
      const match = service.find(id);
      const record = match?.endpoint === from ? match.record : undefined;
      const isEqual = record === undefined || moveEqual ? false : searchForEqual(tx, endpoint, record);
      // Digests are computed before the next transaction.
      if (isEqual === undefined) break;
      outcome.examined += 1;
      if (record === undefined) {
        outcome.missing += 1;
        continue;
      }
      bytes += Buffer.byteLength(record.data);
      if (isEqual) {
        outcome.equal.push(record.id);
        continue;
      }
      endpoint ??= endpoints.intern(tx, to);
      moveRecord(tx, record, { from, to, endpoint }, change);
      outcome.moved.push(record);
    }
    return outcome;
  };

  const moveChunks = async (request: RecordMoveRequest, origin: Origin, result: RecordMoveOutcome): Promise<void> => {
    let ids = [...new Set(request.records.map((id) => id.toLowerCase()))];
    let failingSince: number | undefined;
    while (ids.length > 0) {
      const chunk = ids.slice(0, TRANSACTION_MAX_RECORDS);
      if (!request.moveEqual) {
        await service.prepareFingerprints(request.to, { origin });
        await service.digestLargeRecords(
          chunk.flatMap((id) => seqOfId(id) ?? []),
          { origin },
        );
      }
      const { examined, moved, equal, missing } = await writer.write((tx) => moveChunk(tx, request, chunk, origin));
      failingSince = examined > 0 ? undefined : (failingSince ?? clock.now());
      if (failingSince !== undefined) await waitForNextAttempt(failingSince, clock.now());
      ids = ids.slice(examined);
      result.missing += missing;
      result.equal.push(...equal);
      for (const { id, seq } of moved) {
        result.moved.push(id);
        result.seqs.push(seq);
      }
    }
  };

  return {
    /**
     * Moves records in small transactions, one move after the other. An interruption leaves the remaining records
     * unmoved. An error after the first moved record is returned rather than thrown, so that the move is logged and can
     * be undone.
     * @throws Failure query_limit_exceeded | unavailable if large records cannot be compared within the limits
     */
    move: (request: RecordMoveRequest, origin: Origin): Promise<RecordMoveOutcome> =>
      runInOrder(async () => {
        const result: RecordMoveOutcome = { moved: [], equal: [], missing: 0, seqs: [] };
        try {
          await moveChunks(request, origin, result);
        } catch (error) {
          if (result.moved.length === 0) throw error;
          return { ...result, error };
        }
        return result;
      }),
  };
};
