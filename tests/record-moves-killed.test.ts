import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { recordMoveResultSchema } from '../server/wire/record-moves.ts';
import { recordVersionListSchema } from '../server/wire/record-versions.ts';
import { recordListSchema } from '../server/wire/records.ts';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { findInconsistencies } from './support/database-check.ts';
import type { OwnerClient } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { killProcesses, newHome, pause, removeFolders, startServer, until } from './support/server-process.ts';

/** Number of moved records. Moving them takes several transactions. */
const MOVED_RECORDS = 600;
const KILL_ROUNDS = Number(process.env['PDA_KILLS'] ?? 1);
/** Maximum delay between the end of the first move and the kill. */
const KILL_AFTER_MAX_MS = 300;
const ENDPOINTS = ['a/one', 'b/two'] as const;

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

const recordsAt = async (server: OwnerClient, endpoint: string) =>
  recordListSchema.parse((await server.call('GET', `/api/v2.6/data/${endpoint}?take=100000`)).json);

describe('a server killed while it moves records', () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    `keeps each record once, with its data and its newest move (${KILL_ROUNDS} kills)`,
    { timeout: testTimeout(30_000 + KILL_ROUNDS * 6000) },
    async () => {
      const home = await newHome();
      const contents = new Map<string, unknown>();
      for (let round = 0; round < KILL_ROUNDS; round += 1) {
        const server = await startServer(home);
        if (round === 0) {
          const json = Array.from({ length: MOVED_RECORDS }, (_, n) => ({ n }));
          const reply = await server.call('POST', `/api/v2.6/data/${ENDPOINTS[0]}`, { json });
          for (const { recordId, data } of recordListSchema.parse(reply.json)) contents.set(recordId, data);
        }
        const records = [...contents.keys()];
        let moves = 0;
        const moveUntilKilled = async (): Promise<void> => {
          for (let turn = 0; ; turn += 1) {
            const [from, to] = turn % 2 === 0 ? ENDPOINTS : ENDPOINTS.toReversed();
            const reply = await server.call('POST', '/api/v2.6/owner/record-moves', { json: { from, to, records } });
            expect(recordMoveResultSchema.parse(reply.json).equal).toEqual([]);
            moves += 1;
          }
        };
        let moveError: unknown;
        const movesEnded = moveUntilKilled().catch((error: unknown) => (moveError = error));
        await until(() => moveError !== undefined || moves > 0, 'the first records are moved');
        await pause(Math.random() * KILL_AFTER_MAX_MS);
        // Checked before the kill, because errors after the kill are expected.
        expect(moveError).toBeUndefined();
        await server.kill();
        await movesEnded;
      }
      const restartedServer = await openHome(home);
      const storedRecords = [];
      for (const endpoint of ENDPOINTS) storedRecords.push(...(await recordsAt(restartedServer, endpoint)));
      expect(storedRecords).toHaveLength(MOVED_RECORDS);
      expect(new Map(storedRecords.map(({ recordId, data }) => [recordId, data]))).toEqual(contents);
      // The newest move leads to the current endpoint of the record.
      for (const { recordId, endpoint } of storedRecords.filter((_, index) => index % 50 === 0)) {
        const reply = await restartedServer.call('GET', `/api/v2.6/owner/records/${recordId}/versions`);
        expect(recordVersionListSchema.parse(reply.json).moves[0]?.to).toBe(endpoint);
      }
      await restartedServer.close();
      expect(findInconsistencies(home)).toEqual([]);
    },
  );
});
