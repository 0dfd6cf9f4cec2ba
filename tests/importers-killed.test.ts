import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { IS_THOROUGH_RUN, testTimeout } from './support/long-run.ts';
import { findInconsistencies, readDatabase } from './support/database-check.ts';
import { buildZip } from './support/archives.ts';
import { waitForImport, readImportJob, startImport, uploadImport } from './support/import-over-http.ts';
import { closeHomes, openHome } from './support/open-home.ts';
import { runInProcess } from './support/run-command.ts';
import { killProcesses, newFolder, newHome, removeFolders, startServer, until } from './support/server-process.ts';
import { CALENDAR, buildHealthExport } from './samples/importers/samples.ts';

afterAll(async () => {
  await closeHomes();
  await killProcesses();
  removeFolders();
});

const RECORD_COUNT = 4000;
/** Builds a record. Every hundredth one is invalid. Problems reported before a kill must not be reported twice. */
const buildRecord = (n: number): string =>
  n % 100 === 99
    ? ' <Record type="HKQuantityTypeIdentifierStepCount" startDate="never"/>'
    : ` <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" unit="count" startDate="${new Date(1.7e12 + n * 60_000).toISOString().replace('T', ' ').replace('.000Z', ' +0000')}" value="${n}"/>`;
const buildExport = (recordCount: number): Buffer =>
  buildZip([
    {
      name: 'apple_health_export/export.xml',
      data: buildHealthExport(Array.from({ length: recordCount }, (_, n) => buildRecord(n))),
    },
    { name: 'apple_health_export/calendar.ics', data: CALENDAR },
  ]);
const KINDS = ['calendar/events', 'health/records'];
const countValid = (recordCount: number): number => recordCount - Math.floor(recordCount / 100);

const readCounts = (home: string): { rows: number; distinct: number; problems: number } =>
  readDatabase(home, (db) => ({
    rows: db.prepare<[], number>("SELECT count(*) FROM records WHERE data LIKE '%StepCount%'").pluck().get() ?? 0,
    distinct:
      db.prepare<[], number>("SELECT count(DISTINCT data) FROM records WHERE data LIKE '%StepCount%'").pluck().get() ??
      0,
    problems: db.prepare<[], number>('SELECT count(*) FROM import_problems').pluck().get() ?? 0,
  }));

describe('an import of an export', { timeout: testTimeout(600_000) }, () => {
  it.skipIf(!IS_THOROUGH_RUN)(
    'resumes after a kill without loss, duplicates or repeated problems, and a larger export adds the rest',
    async () => {
      let home: string;
      let importId: string;
      // If this process was slow, the import may have ended before the kill. In that case, it is repeated.
      do {
        home = await newHome();
        const killedServer = await startServer(home);
        ({ importId } = await uploadImport(killedServer, 'export.zip', buildExport(RECORD_COUNT)));
        await startImport(killedServer, importId, { format: 'known', kinds: KINDS });
        await until(async () => (await readImportJob(killedServer, importId)).added > 0, 'some records were imported');
        await killedServer.kill();
      } while (readCounts(home).rows === countValid(RECORD_COUNT));
      const server = await openHome(home);
      const job = await waitForImport(server, importId);
      expect(job).toMatchObject({
        state: 'done',
        added: countValid(RECORD_COUNT) + 4,
        skipped: 0,
        problems: { count: 43 },
      });
      expect(readCounts(home)).toEqual({
        rows: countValid(RECORD_COUNT),
        distinct: countValid(RECORD_COUNT),
        problems: 43,
      });

      const laterImport = await uploadImport(server, 'export.zip', buildExport(RECORD_COUNT + 500));
      await startImport(server, laterImport.importId, { format: 'known', kinds: KINDS });
      expect(await waitForImport(server, laterImport.importId)).toMatchObject({
        added: 495,
        skipped: countValid(RECORD_COUNT) + 4,
        changed: 0,
      });
      expect(readCounts(home)).toMatchObject({
        rows: countValid(RECORD_COUNT + 500),
        distinct: countValid(RECORD_COUNT + 500),
      });
      await server.close();
      expect(findInconsistencies(home)).toEqual([]);
    },
  );

  it('prints the result per kind and the unreadable entries on the command line', async () => {
    const home = await newHome();
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const file = join(folder, 'calendar.ics');
    writeFileSync(file, CALENDAR);
    const unknownKind = await runInProcess(['import', '--home', home, file, '--only', 'calendar/events', 'made/up']);
    const result = await runInProcess(['import', '--home', home, file, '--only', 'calendar/events']);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    expect(result.stdout).toContain('4 added, 0 already present\n  calendar/events: 4 added');
    expect(result.stderr).toContain('calendar.ics, line 27: this line has no name or no value');
    expect(unknownKind).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'There is no kind made/up. docs/importers.md lists the kinds.\n',
    });
    writeFileSync(file, CALENDAR.replace('SUMMARY:', 'SUMMARY:New '));
    const laterResult = await runInProcess(['import', '--home', home, file, '--only', 'calendar/events']);
    expect(laterResult.stdout).toBe(
      '0 added, 3 already present, 1 updated\n  calendar/events: 0 added, 3 already present, 1 updated\n',
    );
  });
});
