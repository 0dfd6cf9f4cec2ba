import { z } from 'zod';
import { timeFormatSchema } from '../../../../wire/fields.ts';
import type { Database, Transaction } from '../../../storage/index.ts';
import type { SeriesFields } from '../charts/store.ts';
import type { TableColumn } from './keys.ts';

/** The columns that a read of the table uses, or the fields of a chart over time. */
export type IndexedRead = readonly TableColumn[] | { series: SeriesFields };

export const isTableRead = (read: IndexedRead): read is readonly TableColumn[] => Array.isArray(read);

export type TableIndexRow = {
  endpoint: string;
  read: IndexedRead;
  /** Unix milliseconds of the last use. */
  used: number;
};

const keySchema = z.strictObject({
  path: z.string(),
  kind: z.enum(['number', 'duration', 'time', 'day', 'boolean', 'text', 'any']),
  timeFormat: timeFormatSchema.optional(),
});
const readSchema: z.ZodType<IndexedRead> = z.union([
  z.array(
    z.discriminatedUnion('of', [
      z.strictObject({ of: z.literal('key'), key: keySchema, descending: z.boolean() }),
      z.strictObject({ of: z.literal('isLocal'), key: keySchema }),
      z.strictObject({ of: z.literal('created') }),
    ]),
  ),
  z.strictObject({
    series: z.strictObject({
      time: z.strictObject({ path: z.string(), format: timeFormatSchema }).optional(),
      value: z.string().optional(),
    }),
  }),
]);

type StoredRow = { endpoint: string; columns: string; used: number };

export const createTableStore = (db: Database) => {
  const list = db.prepare<[], StoredRow>('SELECT endpoint, columns, used FROM table_indexes ORDER BY used DESC');
  const save = db.prepare<[StoredRow]>(
    `INSERT INTO table_indexes (endpoint, columns, used) VALUES (:endpoint, :columns, :used)
     ON CONFLICT (endpoint, columns) DO UPDATE SET used = excluded.used`,
  );
  const prune = db.prepare<[{ unusedSince: number; count: number }]>(
    `DELETE FROM table_indexes WHERE used < :unusedSince
       OR (endpoint, columns) NOT IN (SELECT endpoint, columns FROM table_indexes ORDER BY used DESC LIMIT :count)`,
  );

  return {
    /** Returns the rows, the most recently used first. Omits reads that this version does not know. */
    list: (): TableIndexRow[] =>
      list.all().flatMap(({ columns, ...row }) => {
        const parsed = readSchema.safeParse(JSON.parse(columns));
        return parsed.success ? [{ ...row, read: parsed.data }] : [];
      }),
    save: (_tx: Transaction, { read, ...row }: TableIndexRow) =>
      void save.run({ ...row, columns: JSON.stringify(read) }),
    prune: (_tx: Transaction, unusedSince: number, count: number) => void prune.run({ unusedSince, count }),
  };
};

export type TableStore = ReturnType<typeof createTableStore>;
