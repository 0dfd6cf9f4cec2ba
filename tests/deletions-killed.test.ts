import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { deletionEntrySchema, deletionSchema } from '../server/wire/owner.ts';
import { recordListSchema } from '../server/wire/records.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { findInconsistencies, readDatabase } from './support/database-check.ts';
import type { OwnerClient } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { killProcesses, newHome, removeFolders, startServer, until } from './support/server-process.ts';

/** Number of deleted records. They need many transactions, so that a kill can fall between two. */
const DELETED_RECORDS = 6000;
const KILL_ROUNDS = Number(process.env['PDA_KILLS'] ?? 1);
const TIMEOUT_MS = testTimeout(60_000 + KILL_ROUNDS * 20_000);
const DELETIONS = '/api/v2.6/owner/deletions';

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

type Counts = {
  stored: number;
  deleted: number;
  /** Deleted records according to the list of deletions. */
  listed: number;
};
const readCounts = (home: string): Counts =>
  readDatabase(
    home,
    (db) =>
      db
        .prepare<[], Counts>(
          `SELECT (SELECT count(*) FROM records) AS stored, (SELECT count(*) FROM deleted_records) AS deleted,
             (SELECT coalesce(sum(records), 0) FROM deletions) AS listed`,
        )
        .get() ?? expect.fail('the query returned no row'),
  );

const createRecords = async (server: OwnerClient): Promise<Map<string, unknown>> => {
  const json = Array.from({ length: DELETED_RECORDS }, (_, n) => ({ n }));
  const reply = await server.call('POST', '/api/v2.6/data/load/many', { json });
  return new Map(recordListSchema.parse(reply.json).map(({ recordId, data }) => [recordId, data]));
};

/** Restores everything in the list of deletions, and compares all records with their state before the deletion. */
const expectRestorable = async (home: string, contents: ReadonlyMap<string, unknown>): Promise<void> => {
  const { deleted } = readCounts(home);
  const server = await openHome(home);
  const entries = deletionEntrySchema.array().parse((await server.call('GET', DELETIONS)).json);
  expect(entries.map(({ records }) => records)).toEqual([deleted]);
  const undoReply = await server.call('POST', `${DELETIONS}/${entries[0]?.deletionId}/undo`);
  expect(deletionSchema.parse(undoReply.json).records).toBe(deleted);
  const storedRecords = recordListSchema.parse((await server.call('GET', '/api/v2.6/data/load/many?take=100000')).json);
  expect(storedRecords.map(({ recordId }) => recordId)).toEqual([...contents.keys()]);
  expect(new Map(storedRecords.map(({ recordId, data }) => [recordId, data]))).toEqual(contents);
  expect((await server.call('GET', DELETIONS)).json).toEqual([]);
  await server.close();
  expect(findInconsistencies(home)).toEqual([]);
};

/**
 * Runs rounds in new homes until `KILL_ROUNDS` kills have interrupted a deletion or its undo. If this process is slow,
 * the deletion or undo may end before the kill; such rounds do not count.
 * @param round kills the server and returns the contents of all records by record id
 */
const killRepeatedly = async (round: (home: string) => Promise<ReadonlyMap<string, unknown>>): Promise<void> => {
  for (let kills = 0; kills < KILL_ROUNDS;) {
    const home = await newHome();
    const contents = await round(home);
    const { stored, deleted, listed } = readCounts(home);
    expect(stored + deleted).toBe(DELETED_RECORDS);
    expect(listed).toBe(deleted);
    expect(findInconsistencies(home)).toEqual([]);
    if (stored === 0 || deleted === 0) continue;
    kills += 1;
    await expectRestorable(home, contents);
  }
};

describe('a server that is killed', { timeout: TIMEOUT_MS }, () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'while it deletes records shows the deleted ones as one deletion that can be undone',
    () =>
      killRepeatedly(async (home) => {
        const server = await startServer(home);
        const contents = await createRecords(server);
        const json = { records: [...contents.keys()] };
        const deletionRequest = server.call('POST', DELETIONS, { json }).catch(() => undefined);
        await until(() => readCounts(home).deleted > 0, 'the first records are deleted');
        await server.kill();
        await deletionRequest;
        return contents;
      }),
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'while it restores records shows the remaining ones as a deletion that can be undone',
    () =>
      killRepeatedly(async (home) => {
        const server = await startServer(home);
        const contents = await createRecords(server);
        const reply = await server.call('POST', DELETIONS, { json: { records: [...contents.keys()] } });
        const { deletionId } = deletionSchema.parse(reply.json);
        const undoRequest = server.call('POST', `${DELETIONS}/${deletionId}/undo`).catch(() => undefined);
        await until(() => readCounts(home).stored > 0, 'the first records are restored');
        await server.kill();
        await undoRequest;
        return contents;
      }),
  );
});
