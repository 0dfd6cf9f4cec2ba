import { mapReadErrors } from '../../../../platform/workers/read-limit-failure.ts';
import type { Origin } from '../../../core/endpoint-store.ts';
import type { DatabaseThread } from '../../../storage/index.ts';
import type { ComputedDigest } from './fingerprint-store.ts';

type Thread = Pick<DatabaseThread, 'all'>;

export type DigestStore = ReturnType<typeof createDigestStore>;

const VALUE_SQL = 'SELECT pda_json_digest(CAST(? AS TEXT)) AS digest';
/** One statement, so that the data and the row id come from the same state of the database. */
const PENDING_SQL = `SELECT pending.id, pda_json_digest(records.data) AS digest
  FROM record_digests AS pending JOIN records ON records.seq = pending.seq
  WHERE pending.seq IN (SELECT value FROM json_each(?)) AND pending.digest IS NULL`;

const limitReason = (resource: 'time' | 'memory'): string =>
  `The comparison of large values needs more ${resource} than allowed. Use smaller values, or skip the comparison.`;

/**
 * Computes digests in reader threads. The kind of `origin` determines the thread. All methods throw Failure
 * query_limit_exceeded if the thread exceeds its limits.
 */
export const createDigestStore = ({ reader, nonOwnerThread }: { reader: Thread; nonOwnerThread: Thread }) => {
  const read = <Row>(origin: Origin, sql: string, parameter: string | Uint8Array): Promise<Row[]> => {
    const isNonOwner = origin.kind === 'application' || origin.kind === 'contract';
    return mapReadErrors((isNonOwner ? nonOwnerThread : reader).all<Row>(sql, [parameter]), limitReason);
  };

  return {
    async digestOf(origin: Origin, json: string | Buffer): Promise<string> {
      // Copies a buffer, because it may be a view of a larger memory block, all of which would be sent to the thread.
      const bytes = typeof json === 'string' ? Buffer.from(json) : new Uint8Array(json);
      const [row] = await read<{ digest: string }>(origin, VALUE_SQL, bytes);
      if (row === undefined) throw new Error('the thread returned no digest');
      return row.digest;
    },
    /** Omits records that are not pending in the state of the database that the thread reads. */
    digestsOfPending: (origin: Origin, seqs: readonly number[]): Promise<ComputedDigest[]> =>
      read(origin, PENDING_SQL, JSON.stringify(seqs)),
  };
};
