import Database from 'better-sqlite3';
import { expect, it } from 'vitest';
import { migrate } from '../../storage/migrations/migrator.ts';
import type { DatabaseThread } from '../../storage/index.ts';
import { createRunDayStore } from './run-day-store.ts';

it('returns the runs that stored records or failed, by local day', async () => {
  const db = new Database(':memory:');
  migrate(db);
  const reader = {
    all: async (sql: string, parameters: readonly (string | number)[] = []) => db.prepare(sql).all(...parameters),
  } as unknown as Pick<DatabaseThread, 'all'>;
  const runs = createRunDayStore(reader);
  const insert = db.prepare(
    `INSERT INTO function_runs (id, function, version, reason, started, finished, outcome, chain, until_date, records_out, endpoint)
     VALUES (?, 'steps', '1', 'owner', 0, ?, ?, '', 0, ?, 'she/steps')`,
  );
  const timeOf = (text: string): number => new Date(text).getTime();
  insert.run('stored', timeOf('2026-03-01T00:00'), 'done', 3);
  insert.run('failed', timeOf('2026-03-01T23:59'), 'crashed', 0);
  insert.run('next', timeOf('2026-03-02T00:00'), 'done', 1);
  insert.run('nothing', timeOf('2026-03-01T12:00'), 'done', 0);
  insert.run('stopped', timeOf('2026-03-01T12:00'), 'stopped', 0);
  insert.run('running', null, null, 1);

  expect(await runs.countByDay()).toEqual([
    { day: '2026-03-02', items: 1 },
    { day: '2026-03-01', items: 2 },
  ]);
  expect((await runs.listOnDay('2026-03-01', { skip: 0, take: 5 })).map(({ id }) => id)).toEqual(['failed', 'stored']);
  expect(await runs.listOnDay('2026-03-01', { skip: 1, take: 1 })).toEqual([
    { id: 'stored', function: 'steps', finished: timeOf('2026-03-01T00:00'), outcome: 'done', records: 3 },
  ]);
  db.close();
});
