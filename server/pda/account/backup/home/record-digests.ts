import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { z } from 'zod';
import { isMissing } from '../../../../platform/io/file-system.ts';
import type { HomeDatabase } from './store.ts';
import { writeWhole } from '../format/atomic-file.ts';

/**
 * Detects silent disk corruption in records, which SQLite does not notice. For each range of records two checksums are
 * stored beside the database: one over ids and modification times, one over the content. If the first is unchanged and the
 * second is not, the disk changed the content.
 */

const NAME = 'digests.json';
/** Sequence numbers per day: 4096 per millisecond. */
const DAY_PLACES = 4096 * 86_400_000;
/**
 * Divisor that ends a range within a day and endpoint: a range ends at each sequence number divisible by it, about once per
 * 1021 records. Boundaries therefore do not depend on other ranges. A prime, because sequence numbers advance in steps.
 */
const ABOUT_RECORDS = 1021;
const MAX_NAMED = 3;

/** `rows`: checksum of which there are; `content`: of what they hold. */
type Digest = { count: number; rows: number; content: number };
/** By the place of the first record. */
type Digests = Map<number, Digest>;
/** `known`: of as many records as there were then. Those that came since are behind them, and hide nothing. */
type Stretch = Digest & { first: number; day: number; known: Digest | undefined };

const fileSchema = z.object({ schema: z.int(), stretches: z.array(z.tuple([z.int(), z.int(), z.int(), z.int()])) });

/** What is to be remembered, and the endpoints of which records are not what they were. */
const digestsOf = (copy: HomeDatabase, before: Digests): { now: Digests; damaged: Set<number> } => {
  const now: Digests = new Map();
  const damaged = new Set<number>();
  /** Endpoint -> the one that goes on. */
  const open = new Map<number, Stretch>();
  for (const { seq, endpoint, updated, data } of copy.records()) {
    const day = Math.floor(seq / DAY_PLACES);
    let stretch = open.get(endpoint);
    if (stretch?.day !== day) {
      stretch = { first: seq, day, known: before.get(seq), count: 0, rows: 0, content: 0 };
      open.set(endpoint, stretch);
      now.set(seq, stretch);
    }
    stretch.count += 1;
    stretch.rows = crc32(`${seq} ${endpoint} ${updated ?? ''}\n`, stretch.rows);
    stretch.content = crc32(data, stretch.content);
    const { known, count, rows, content } = stretch;
    if (known?.count === count && known.rows === rows && known.content !== content) {
      damaged.add(endpoint);
      // As it was: it is said until it is mended, changed or deleted.
      now.set(stretch.first, known);
    }
    if (seq % ABOUT_RECORDS === 0) open.delete(endpoint);
  }
  return { now, damaged };
};

/** Reads the stored digests; empty if they belong to another schema version, because a migration may have rewritten records. */
const readDigests = (folder: string, schema: number): Digests => {
  try {
    const read = fileSchema.parse(JSON.parse(readFileSync(join(folder, NAME), 'utf8')));
    if (read.schema !== schema) return new Map();
    return new Map(read.stretches.map(([first, count, rows, content]) => [first, { count, rows, content }]));
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError || error instanceof z.ZodError) return new Map();
    throw error;
  }
};

export type RecordCheck = {
  /** For the owner; undefined: all is as it was. */
  problem: string | undefined;
  /** Remembers it for the next time. */
  save(): void;
};

/** @param folder holds the stored digests @param copy database snapshot that does not change */
export const checkRecords = (folder: string, copy: HomeDatabase): RecordCheck => {
  const schema = copy.schema();
  const { now, damaged } = digestsOf(copy, readDigests(folder, schema));
  const stretches = [...now].map(([first, { count, rows, content }]) => [first, count, rows, content]);
  const named = [...damaged].slice(0, MAX_NAMED).map(copy.endpoint).join(', ');
  const more = damaged.size > MAX_NAMED ? ' and elsewhere' : '';
  return {
    problem:
      damaged.size === 0
        ? undefined
        : `Some records in ${named}${more} changed on the disk although nothing wrote to them. The disk of this computer may be failing. Earlier backups have these records unchanged, and no backup is removed until this is resolved.`,
    save: () => writeWhole(join(folder, NAME), Buffer.from(JSON.stringify({ schema, stretches }))),
  };
};
