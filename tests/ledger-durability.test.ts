import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { ledgerPageSchema, ledgerRecordsSchema } from '../server/wire/ledger.ts';
import { recordListSchema } from '../server/wire/records.ts';
import { anApplication, setUpApplication } from './support/applications.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import type { RunningPda } from './support/test-pda.ts';
import {
  killProcesses,
  newHome,
  pause,
  removeFolders,
  startServer,
  until,
  type ServerProcess,
} from './support/server-process.ts';

const READERS = 4;
const ROUNDS = 2;

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

type ReadResponse = { records: string[]; bytes: number };

const readLoggedResponses = async (server: RunningPda): Promise<ReadResponse[]> => {
  const responses: ReadResponse[] = [];
  let pageQuery = '';
  for (;;) {
    const reply = await server.call(
      'GET',
      `/api/v2.6/owner/ledger?application=reader&outcome=allowed&take=500${pageQuery}`,
    );
    const page = ledgerPageSchema.parse(reply.json);
    for (const row of page.rows) {
      const recordsReply = await server.call('GET', `/api/v2.6/owner/ledger/${row.id}/records`);
      const records = ledgerRecordsSchema.parse(recordsReply.json).records.map((record) => record.recordId);
      responses.push({ records: records.toSorted(), bytes: row.bytes ?? -1 });
    }
    if (page.next === null) return responses;
    pageQuery = `&before=${page.next}`;
  }
};

describe('the access log of a killed server', { timeout: testTimeout(600_000) }, () => {
  it.skipIf(!IS_THOROUGH_RUN)('has an entry for every response that an application received', async () => {
    const home = await newHome();
    const roles = [{ role: 'namespaceread', detail: 'load' }];
    const applications = [anApplication({ id: 'reader', roles })];
    writeFileSync(join(home, 'config.json'), JSON.stringify({ applications }));
    const responses: ReadResponse[] = [];

    const readRepeatedly = async (server: ServerProcess, token: string, reader: number): Promise<void> => {
      for (let call = 0; ; call += 1) {
        const path = `/api/v2.6/data/load/x?skip=${reader * 5 + (call % 5)}&take=${1 + (call % 7)}`;
        const reply = await server.call('GET', path, { headers: { 'x-auth-token': token } }).catch(() => undefined);
        if (reply?.status !== 200) return;
        const records = recordListSchema.parse(reply.json).map((record) => record.recordId);
        responses.push({ records: records.toSorted(), bytes: reply.body.length });
      }
    };

    for (let round = 0; round < ROUNDS; round += 1) {
      const server = await startServer(home);
      await server.call('POST', '/api/v2.6/data/load/x', { json: Array.from({ length: 20 }, (_, n) => n) });
      const token = await setUpApplication(server, 'reader');
      const previousCount = responses.length;
      const readers = Array.from({ length: READERS }, (_, reader) => readRepeatedly(server, token, reader));
      await until(() => responses.length > previousCount + 20, 'some reads received responses');
      await pause(Math.random() * 100);
      await server.kill();
      await Promise.all(readers);
    }

    const loggedReads = await readLoggedResponses(await openHome(home));
    expect(responses.length).toBeGreaterThan(ROUNDS * 20);
    const rowCounts = new Map<string, number>();
    for (const row of loggedReads) {
      const key = JSON.stringify(row);
      rowCounts.set(key, (rowCounts.get(key) ?? 0) + 1);
    }
    const unloggedResponses = responses.filter((response) => {
      const key = JSON.stringify(response);
      const count = rowCounts.get(key) ?? 0;
      rowCounts.set(key, count - 1);
      return count <= 0;
    });
    expect(unloggedResponses).toStrictEqual([]);
    // The log may contain requests whose responses the kill interrupted: at most one per reader and round.
    expect(loggedReads.length - responses.length).toBeLessThanOrEqual(READERS * ROUNDS);
  });
});
