import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { isMissing } from '../../../../platform/io/file-system.ts';
import type { HomeDatabase } from './store.ts';
import { writeFileAtomically } from '../format/atomic-file.ts';

/*
 * Detects silent disk corruption in records, which SQLite does not detect: if only the content checksum of a range of
 * records has changed, the disk has corrupted a record.
 */

/** The file keeps the names of earlier versions: `digests` are the checksums, `stretches` are the ranges. */
const CHECKSUMS_FILE_NAME = 'digests.json';
/** There are 4096 sequence numbers per millisecond. */
const SEQS_PER_DAY = 4096 * 86_400_000;
/**
 * A range contains records of one endpoint. It ends at each sequence number that is divisible by this number, and at
 * the end of a day, so that its boundaries do not depend on other ranges. On busy days it contains about 1021 records.
 * The divisor is prime, because sequence numbers advance in steps.
 */
const RANGE_DIVISOR = 1021;
const NAMED_ENDPOINTS_MAX = 3;

/** CRC-32 checksums: `rows` of sequence numbers, endpoints and modification times, `content` of the data. */
type RangeChecksums = { count: number; rows: number; content: number };
/** The checksums of each range, by its first sequence number. */
type Checksums = Map<number, RangeChecksums>;
/** A range that is being read. `stored`: checksums at the last check, possibly of fewer records. */
type OpenRange = RangeChecksums & { first: number; day: number; stored: RangeChecksums | undefined };

const fileSchema = z.object({ schema: z.int(), stretches: z.array(z.tuple([z.int(), z.int(), z.int(), z.int()])) });

/** Returns the checksums to store, and the ids of the endpoints with corrupt records (`damaged`). */
const computeChecksums = (
  copy: HomeDatabase,
  storedChecksums: Checksums,
): { checksums: Checksums; damaged: Set<number> } => {
  const checksums: Checksums = new Map();
  const damagedEndpoints = new Set<number>();
  const openRanges = new Map<number, OpenRange>();
  for (const { seq, endpoint, updated, data } of copy.iterateRecords()) {
    const day = Math.floor(seq / SEQS_PER_DAY);
    let range = openRanges.get(endpoint);
    if (range?.day !== day) {
      range = { first: seq, day, stored: storedChecksums.get(seq), count: 0, rows: 0, content: 0 };
      openRanges.set(endpoint, range);
      checksums.set(seq, range);
    }
    range.count += 1;
    range.rows = crc32(`${seq} ${endpoint} ${updated ?? ''}\n`, range.rows);
    range.content = crc32(data, range.content);
    const { stored, count, rows, content } = range;
    if (stored?.count === count && stored.rows === rows && stored.content !== content) {
      damagedEndpoints.add(endpoint);
      // Keeps the stored checksums, so that the damage is reported until the record is repaired, changed or deleted.
      checksums.set(range.first, stored);
    }
    if (seq % RANGE_DIVISOR === 0) openRanges.delete(endpoint);
  }
  return { checksums, damaged: damagedEndpoints };
};

/** Ignores an invalid file, and checksums of a different schema version: a migration may have rewritten records. */
const readChecksums = (folder: string, schema: number): Checksums => {
  try {
    const storedFile = fileSchema.parse(JSON.parse(readFileSync(join(folder, CHECKSUMS_FILE_NAME), 'utf8')));
    if (storedFile.schema !== schema) return new Map();
    return new Map(storedFile.stretches.map(([first, count, rows, content]) => [first, { count, rows, content }]));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError || error instanceof z.ZodError) return new Map();
    throw error;
  }
};

export type RecordCheck = ReturnType<typeof checkRecords>;

/** Compares the records of a database copy with the stored checksums. @param folder folder of the checksums */
export const checkRecords = (folder: string, copy: HomeDatabase) => {
  const schema = copy.readSchemaVersion();
  const { checksums, damaged } = computeChecksums(copy, readChecksums(folder, schema));
  const ranges = [...checksums].map(([first, { count, rows, content }]) => [first, count, rows, content]);
  const namedEndpoints = [...damaged].slice(0, NAMED_ENDPOINTS_MAX).map(copy.endpointPathOf).join(', ');
  const suffix = damaged.size > NAMED_ENDPOINTS_MAX ? ' and other endpoints' : '';
  return {
    /** Message for the owner; undefined if no damage was found. */
    problem:
      damaged.size === 0
        ? undefined
        : `Some records in ${namedEndpoints}${suffix} changed on the disk although nothing wrote to them. The disk of this computer may be failing. Earlier backups have these records unchanged, and no backup is removed until this is resolved.`,
    save: (): void =>
      writeFileAtomically(
        join(folder, CHECKSUMS_FILE_NAME),
        Buffer.from(JSON.stringify({ schema, stretches: ranges })),
      ),
  };
};
