import { asReadFailure } from '../../../../platform/workers/read-limit-failure.ts';
import type { Origin } from '../../../core/endpoint-store.ts';
import type { DatabaseThread } from '../../../storage/index.ts';

/** Reader threads: of the owner, and of all other principals. */
export type DigestThreads = {
  reader: Pick<DatabaseThread, 'all'>;
  nonOwnerThread: Pick<DatabaseThread, 'all'>;
};

export type DigestStore = ReturnType<typeof createDigestStore>;

const VALUE_SQL = 'SELECT pda_json_digest(CAST(? AS TEXT)) AS digest';
const RECORDS_SQL =
  'SELECT seq, pda_json_digest(data) AS digest FROM records WHERE seq IN (SELECT value FROM json_each(?))';

const limitReason = (resource: 'time' | 'memory'): string =>
  `The comparison of large values needs more ${resource} than allowed, so they were not stored. Use smaller values, or store them without a comparison.`;

/**
 * Creates the store that lets reader threads compute digests of large values and records. `origin`: on whose behalf.
 * Its methods throw Failure query_limit_exceeded if a thread exceeds its limits.
 */
export const createDigestStore = ({ reader, nonOwnerThread }: DigestThreads) => {
  const read = async <Row>(origin: Origin, sql: string, parameter: string | Uint8Array): Promise<Row[]> => {
    const isNonOwner = origin.kind === 'application' || origin.kind === 'contract';
    try {
      return await (isNonOwner ? nonOwnerThread : reader).all<Row>(sql, [parameter]);
    } catch (error) {
      throw asReadFailure(error, limitReason);
    }
  };

  return {
    async ofValue(origin: Origin, json: string | Buffer): Promise<string> {
      // Copied: a message to a thread contains the whole memory that a view is a part of.
      const bytes = typeof json === 'string' ? Buffer.from(json) : new Uint8Array(json);
      const [row] = await read<{ digest: string }>(origin, VALUE_SQL, bytes);
      if (row === undefined) throw new Error('the thread returned no digest');
      return row.digest;
    },
    /** Records that were deleted in the meantime are missing in the result. */
    ofRecords: (origin: Origin, seqs: readonly number[]): Promise<{ seq: number; digest: string }[]> =>
      read(origin, RECORDS_SQL, JSON.stringify(seqs)),
  };
};
