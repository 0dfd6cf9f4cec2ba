import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, expect, it } from 'vitest';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { readDatabase } from './support/database-check.ts';
import { runInProcess } from './support/run-command.ts';
import { killProcesses, newFolder, newHome, removeFolders, startCommand, until } from './support/server-process.ts';
import { buildHealthExport } from './samples/importers/samples.ts';

/** Size of the export in bytes; `npm run test:long` uses five gigabytes. */
const EXPORT_BYTES = Number(process.env['PDA_IMPORT_BYTES'] ?? 2_000_000);

afterAll(async () => {
  await killProcesses();
  removeFolders();
});

/** Generates an Apple Health export with measurements from a watch, which make up most of a typical export. */
async function* generateExport(totalBytes: number): AsyncGenerator<string> {
  yield buildHealthExport([], { end: '' });
  let writtenBytes = 0;
  for (let n = 0; writtenBytes < totalBytes;) {
    const lines: string[] = [];
    for (let line = 0; line < 1000; line += 1, n += 1) {
      const time = new Date(1.2e12 + n * 7000).toISOString().replace('T', ' ').replace('.000Z', ' +0000');
      lines.push(
        ` <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Watch" sourceVersion="10.3" device="&lt;&lt;HKDevice: 0x28&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,2, software:10.3&gt;" unit="count/min" creationDate="${time}" startDate="${time}" endDate="${time}" value="${60 + (n % 90)}"/>\n`,
      );
    }
    const text = lines.join('');
    writtenBytes += text.length;
    yield text;
  }
  yield '</HealthData>';
}

it.skipIf(!IS_THOROUGH_RUN)(
  'a large export is imported despite a kill, and importing it again adds nothing',
  { timeout: testTimeout(600_000) },
  async () => {
    const file = join(newFolder(), 'export.xml');
    await pipeline(generateExport(EXPORT_BYTES), createWriteStream(file));
    let home: string;
    let args: string[];
    let countAtKill: number;
    const countStoredRecords = (): number =>
      readDatabase(home, (db) => Number(db.prepare('SELECT count(*) FROM records').pluck().get()));
    // If this process was slow, the import may have ended before the kill. In that case, it is repeated.
    do {
      home = await newHome();
      args = ['import', '--home', home, file];
      const firstRun = startCommand(args);
      await until(() => countStoredRecords() > 0, 'the first records are stored');
      firstRun.kill('SIGKILL');
      await firstRun.finished;
      countAtKill = countStoredRecords();
      const resumedImport = await runInProcess(args);
      expect(resumedImport, resumedImport.stderr).toMatchObject({ code: 0 });
    } while (countStoredRecords() === countAtKill);
    const totalCount = countStoredRecords();
    const secondRun = await runInProcess(args);
    expect(secondRun.stdout).toContain(`0 added, ${totalCount} already present`);
    expect(countStoredRecords()).toBe(totalCount);
  },
);
