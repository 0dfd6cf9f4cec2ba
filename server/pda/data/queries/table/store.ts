import { z } from 'zod';
import { timeFormatSchema } from '../../../../wire/fields.ts';
import type { Database, Transaction } from '../../../storage/index.ts';
import type { TableColumn } from './keys.ts';

export type TableIndexRow = {
  endpoint: string;
  columns: readonly TableColumn[];
  /** Unix milliseconds of the last use. */
  used: number;
};

const keySchema = z.strictObject({
  path: z.string(),
  kind: z.enum(['number', 'duration', 'time', 'day', 'boolean', 'text', 'any']),
  timeFormat: timeFormatSchema.optional(),
});
const columnsSchema: z.ZodType<readonly TableColumn[]> = z.array(
  z.discriminatedUnion('of', [
    z.strictObject({ of: z.literal('key'), key: keySchema, descending: z.boolean() }),
    z.strictObject({ of: z.literal('isLocal'), key: keySchema }),
    z.strictObject({ of: z.literal('created') }),
  ]),
);

type StoredRow = { endpoint: string; columns: string; used: number };

export const createTableStore = (db: Database) => {
  const all = db.prepare<[], StoredRow>('SELECT endpoint, columns, used FROM table_indexes ORDER BY used DESC');
  const save = db.prepare<[StoredRow]>(
    `INSERT INTO table_indexes (endpoint, columns, used) VALUES (:endpoint, :columns, :used)
     ON CONFLICT (endpoint, columns) DO UPDATE SET used = excluded.used`,
  );
  const prune = db.prepare<[{ unusedSince: number; count: number }]>(
    `DELETE FROM table_indexes WHERE used < :unusedSince
       OR (endpoint, columns) NOT IN (SELECT endpoint, columns FROM table_indexes ORDER BY used DESC LIMIT :count)`,
  );

  return {
    /** The most recently used first. Omits rows with columns that this version does not know. */
    all: (): TableIndexRow[] =>
      all.all().flatMap(({ columns, ...row }) => {
        const parsed = columnsSchema.safeParse(JSON.parse(columns));
        return parsed.success ? [{ ...row, columns: parsed.data }] : [];
      }),
    save: (_tx: Transaction, { columns, ...row }: TableIndexRow) =>
      void save.run({ ...row, columns: JSON.stringify(columns) }),
    prune: (_tx: Transaction, unusedSince: number, count: number) => void prune.run({ unusedSince, count }),
  };
};

export type TableStore = ReturnType<typeof createTableStore>;
