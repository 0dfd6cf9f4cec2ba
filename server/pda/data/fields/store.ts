import type { EndpointDisplay, FieldType } from '../../../wire/fields.ts';
import type { Database, DatabaseThread, Transaction } from '../../storage/index.ts';

/**
 * The owner's correction of one field (path `$.<field path>`) or of the endpoint itself (path `$`). The correction of a
 * namespace has the namespace as its endpoint, and the path `$`.
 */
export type CorrectionRow = {
  endpoint: string;
  path: string;
  name: string | null;
  type: FieldType | null;
  unit: string | null;
  icon: EndpointDisplay['icon'] | null;
  colour: NonNullable<EndpointDisplay['colour']> | null;
  chart: string | null;
};

type FieldChoiceRow = Pick<CorrectionRow, 'endpoint' | 'path' | 'name' | 'colour'>;

type SampleLimits = { records: number; recordBytes: number };

export const createFieldStore = (db: Database, reader: Pick<DatabaseThread, 'all'>) => {
  const selectByEndpoint = db.prepare<[string], CorrectionRow>('SELECT * FROM field_corrections WHERE endpoint = ?');
  const selectByPath = db.prepare<[string, string], CorrectionRow>(
    'SELECT * FROM field_corrections WHERE endpoint = ? AND path = ?',
  );
  const selectChoices = db.prepare<[], FieldChoiceRow>(
    'SELECT endpoint, path, name, colour FROM field_corrections WHERE name IS NOT NULL OR colour IS NOT NULL',
  );
  const save = db.prepare<[CorrectionRow]>(
    `INSERT INTO field_corrections (endpoint, path, name, type, unit, icon, colour, chart)
     VALUES (:endpoint, :path, :name, :type, :unit, :icon, :colour, :chart)
     ON CONFLICT (endpoint, path) DO UPDATE SET name = excluded.name, type = excluded.type, unit = excluded.unit,
       icon = excluded.icon, colour = excluded.colour, chart = excluded.chart`,
  );
  const remove = db.prepare<[string, string]>('DELETE FROM field_corrections WHERE endpoint = ? AND path = ?');

  return {
    corrections: (endpoint: string): CorrectionRow[] => selectByEndpoint.all(endpoint),
    correction: (endpoint: string, path: string): CorrectionRow | undefined => selectByPath.get(endpoint, path),
    choices: (): FieldChoiceRow[] => selectChoices.all(),
    /** Stores a correction, or deletes it if it corrects nothing. */
    save(_tx: Transaction, row: CorrectionRow): void {
      const isEmpty = [row.name, row.type, row.unit, row.icon, row.colour, row.chart].every((value) => value === null);
      if (isEmpty) remove.run(row.endpoint, row.path);
      else save.run(row);
    },

    /**
     * Returns the JSON texts of sampled records, newest first: half of them are the newest records, the other half is
     * spread over the whole endpoint. Omits records above `recordBytes`.
     */
    async sample(endpoint: number, { records, recordBytes }: SampleLimits): Promise<string[]> {
      const half = Math.ceil(records / 2);
      // Separate subqueries for min and max let SQLite read only the two ends of the index.
      const sql = `WITH RECURSIVE
           bounds (low, high) AS (
             SELECT (SELECT min(seq) FROM records WHERE endpoint = ${endpoint}), (SELECT max(seq) FROM records WHERE endpoint = ${endpoint})),
           step (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM step WHERE n < ${half - 1}),
           spread (seq) AS (
             SELECT (SELECT seq FROM records WHERE endpoint = ${endpoint} AND seq >= low + n * ((high - low) / ${half})
                     ORDER BY seq LIMIT 1)
             FROM step, bounds),
           newest (seq) AS (SELECT seq FROM records WHERE endpoint = ${endpoint} ORDER BY seq DESC LIMIT ${half})
         SELECT data FROM records
         WHERE seq IN (SELECT seq FROM newest UNION SELECT seq FROM spread) AND octet_length(data) <= ${recordBytes}
         ORDER BY seq DESC`;
      const rows = await reader.all<{ data: string }>(sql);
      return rows.map(({ data }) => data);
    },
  };
};

export type FieldStore = ReturnType<typeof createFieldStore>;
