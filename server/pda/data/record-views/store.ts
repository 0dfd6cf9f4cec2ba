import type { RecordView } from '../../../wire/record-views.ts';
import type { Database, Transaction } from '../../storage/index.ts';

export const createRecordViewStore = (db: Database) => {
  const list = db.prepare<[string], RecordView>(
    'SELECT id, name, view FROM record_views WHERE endpoint = ? ORDER BY position',
  );
  const clear = db.prepare<[string]>('DELETE FROM record_views WHERE endpoint = ?');
  const nextPosition = db
    .prepare<[string], number>('SELECT coalesce(max(position) + 1, 0) FROM record_views WHERE endpoint = ?')
    .pluck();
  const insert = db.prepare<[RecordView & { endpoint: string; position: number }]>(
    'INSERT INTO record_views (id, endpoint, position, name, view) VALUES (:id, :endpoint, :position, :name, :view)',
  );

  return {
    list: (endpoint: string): RecordView[] => list.all(endpoint),
    add: (_tx: Transaction, endpoint: string, view: RecordView) =>
      void insert.run({ ...view, endpoint, position: nextPosition.get(endpoint) ?? 0 }),
    replace(_tx: Transaction, endpoint: string, views: readonly RecordView[]): void {
      clear.run(endpoint);
      for (const [position, { id, name, view }] of views.entries()) insert.run({ id, endpoint, position, name, view });
    },
  };
};

export type RecordViewStore = ReturnType<typeof createRecordViewStore>;
