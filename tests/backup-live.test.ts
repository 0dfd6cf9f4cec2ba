import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, expect, it } from 'vitest';
import { PASSPHRASE } from './support/backups.ts';
import { crawl, fillHome, requestJson, type Responses } from './support/crawl.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { hashAtFullCost } from './support/quick-hashes.ts';
import { runInProcess } from './support/run-command.ts';
import {
  killProcesses,
  newFolder,
  newHome,
  pause,
  removeFolders,
  runCommand,
  startServer,
  until,
} from './support/server-process.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

afterEach(killProcesses);
afterEach(closeHomes);
afterAll(removeFolders);

it.skipIf(!IS_THOROUGH_RUN)(
  'an account restored from a backup made during writes returns the same responses byte for byte',
  async () => {
    const home = await newHome();
    const backupFolder = newFolder();
    const server = await startServer(home);
    await fillHome(server, home);
    const startTime = new Date().toISOString();

    let isStopped = false;
    const acknowledgedCounts = [0, 0, 0];
    const write = async (writer: number): Promise<void> => {
      while (!isStopped) {
        const data = { n: acknowledgedCounts[writer] ?? 0, text: 'x'.repeat(500) };
        await requestJson(server, 'POST', `/api/v2.6/data/load/w${writer}`, data);
        acknowledgedCounts[writer] = data.n + 1;
        // Throttles the writers, so that they do not saturate the machine.
        await pause(20);
      }
    };
    const load = Promise.all(acknowledgedCounts.map((_, writer) => write(writer)));
    await until(() => acknowledgedCounts.every((count) => count > 20), 'all writers have written');
    const countsBefore = [...acknowledgedCounts];
    const result = await runCommand(['backup', '--home', home, '--to', backupFolder, '--passphrase-stdin'], {
      input: PASSPHRASE,
    });
    expect([result.code, result.stderr]).toStrictEqual([0, '']);
    const countsAfter = [...acknowledgedCounts];
    isStopped = true;
    await load;
    // The writers stored further records after the backup.
    const removeLoadRecords = (responses: Responses): Responses =>
      new Map([...responses].map(([path, text]) => [path, removeLoad(text)]));
    const originalResponses = removeLoadRecords(await crawl(server, startTime));
    expect(originalResponses.size).toBeGreaterThan(50);
    await server.stop();

    const restoredHome = join(newFolder(), 'home');
    const restoreArgs = ['restore', '--from', backupFolder, '--home', restoredHome, '--passphrase-stdin'];
    // A separate process derived the key of the archive at full cost.
    const restoreResult = await hashAtFullCost(() => runInProcess(restoreArgs, undefined, PASSPHRASE));
    expect([restoreResult.code, restoreResult.stderr]).toStrictEqual([0, '']);
    const restoredServer = await openHome(restoredHome);
    const responses = removeLoadRecords(await crawl(restoredServer, startTime));
    for (const [path, text] of originalResponses) expect(responses.get(path), path).toBe(text);
    expect(responses.size).toBe(originalResponses.size);

    for (const writer of acknowledgedCounts.keys()) {
      const records = await requestJson<{ data: { n: number } }[]>(
        restoredServer,
        'GET',
        `/api/v2.6/data/load/w${writer}?take=100000`,
      );
      const numbers = records.map(({ data }) => data.n).toSorted((a, b) => a - b);
      // The restored records include all that were acknowledged before the backup began, without a gap.
      expect(numbers).toStrictEqual(Array.from({ length: numbers.length }, (_, n) => n));
      expect(numbers.length).toBeGreaterThanOrEqual(countsBefore[writer] ?? 0);
      expect(numbers.length).toBeLessThanOrEqual((countsAfter[writer] ?? 0) + 1);
    }
    expect(readFileSync(join(restoredHome, 'files/dropped.md'), 'utf8')).toBe('# by hand');
    expect(readdirSync(restoredHome)).not.toContain('restored');
  },
);

const removeLoad = (text: string): string =>
  text
    .replaceAll(/\{[^{}]*"load(?:\/w\d)?"[^{}]*\},?/gu, '')
    .replaceAll(/"load\/?[^"]*",?/gu, '')
    .replaceAll(/"w\d",?/gu, '')
    .replaceAll(/"created":\d{3,},/gu, '');
