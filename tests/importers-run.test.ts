import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from '../server/pda/data/imports/parsing/entries.ts';
import { endpointFieldsSchema } from '../server/wire/fields.ts';
import { importPreviewSchema, type ImportJob, type ImportPreview } from '../server/wire/imports.ts';
import { MAX_SAMPLED_RECORDS } from '../server/wire/limits.ts';
import { buildTgz, buildZip, type ArchiveEntry } from './support/archives.ts';
import { findInconsistencies } from './support/database-check.ts';
import {
  waitForImport,
  parseImportJob,
  postToImport,
  startImport,
  sendImportChunk,
} from './support/import-over-http.ts';
import { dataAt, startTestPda, type TestPda } from './support/test-pda.ts';
import * as samples from './samples/importers/samples.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

let pda: TestPda;
beforeAll(async () => {
  pda = await startTestPda();
});
afterAll(() => pda.close());

type StoredRecord = { endpoint: string; recordId: string; data: Record<string, unknown> };

const IMPORTS = '/api/v2.6/owner/imports';
type UploadFile = { name: string; data: Buffer | string };

/** Uploads files as the parts of one export. */
const uploadFiles = async (files: readonly UploadFile[]): Promise<ImportJob> => {
  const contents = files.map(({ data }) => Buffer.from(data));
  const json = { files: files.map(({ name }, index) => ({ fileName: name, size: contents[index]?.length ?? 0 })) };
  const job = parseImportJob(await pda.call('POST', IMPORTS, { json }));
  return parseImportJob(await sendImportChunk(pda, job.importId, 0, Buffer.concat(contents)));
};
const previewOf = async ({ importId }: ImportJob, bank?: object): Promise<ImportPreview> => {
  const path = `${IMPORTS}/${importId}/preview`;
  const reply = bank === undefined ? await pda.call('GET', path) : await pda.call('POST', path, { json: { bank } });
  expect(reply.status, reply.text).toBe(200);
  return importPreviewSchema.parse(reply.json);
};
const run = async ({ importId }: ImportJob, request: object): Promise<ImportJob> => {
  const reply = await startImport(pda, importId, request);
  expect(reply.status, reply.text).toBe(202);
  return waitForImport(pda, importId);
};
const countsOf = ({ found }: ImportPreview): Record<string, number> =>
  Object.fromEntries((found?.kinds ?? []).map(({ endpoint, count }) => [endpoint, count]));

/** Imports all recognised kinds. */
const importFiles = async (...files: UploadFile[]): Promise<ImportJob> =>
  run(await uploadFiles(files), { format: 'known', kinds: ENTRY_KINDS });

const undoImports = async (...jobs: ImportJob[]): Promise<void> => {
  for (const { importId } of jobs.toReversed()) expect((await postToImport(pda, importId, 'undo')).status).toBe(200);
};

/** Returns all records, files and sources, with their metadata. */
const readEverything = async (): Promise<unknown> => {
  const endpoints = (await pda.call('GET', '/api/v2.6/owner/endpoints')).json as { endpoint: string }[];
  const data = await Promise.all(
    endpoints.map(async ({ endpoint }) => (await pda.call('GET', `/api/v2.6/data/${endpoint}?take=1000`)).json),
  );
  const files = (await pda.call('GET', '/api/v2.6/owner/files')).json;
  const sources = (await pda.call('GET', '/api/v2.6/data/sources')).json;
  return { endpoints, data, files, sources };
};

const TAKEOUT: ArchiveEntry[] = [
  { name: 'Takeout/Kalender/Familie.ics', data: samples.CALENDAR },
  { name: 'Takeout/Kontakte/Alle Kontakte/Alle Kontakte.vcf', data: samples.CONTACTS },
  { name: 'Takeout/Standortverlauf/Records.json', data: samples.LOCATION_RECORDS },
  { name: 'Takeout/Standortverlauf/Semantic Location History/2023/2023_MAY.json', data: samples.SEMANTIC_HISTORY },
  { name: 'Takeout/Meine Aktivit\u00e4ten/Suche/MeineAktivit\u00e4ten.json', data: samples.ACTIVITY_JSON },
  { name: 'Takeout/Mail/Alle E-Mails.mbox', data: samples.MAILBOX },
  { name: 'Takeout/Google Fotos/2023/IMG_1.jpg.json', data: '{"title":"IMG_1.jpg"}' },
  { name: 'Takeout/archive_browser.html', data: '<html><body>table of contents</body></html>' },
];
const EXPECTED_COUNTS = {
  'calendar/events': 4,
  'calendar/tasks': 1,
  'contacts/people': 3,
  'google/activity': 2,
  'google/locations': 2,
  'google/trips': 1,
  'google/visits': 1,
  'mail/messages': 2,
};

describe('an export', () => {
  /** Content before the tests, without the times of the last changes, because an undo is a change too. */
  let originalContent: unknown;
  const withoutChangeTimes = (value: unknown): unknown =>
    JSON.parse(JSON.stringify(value).replaceAll(/"lastChange":"[^"]*"/gu, '"lastChange":""'));
  beforeAll(async () => {
    await pda.call('POST', '/api/v2.6/data/calendar/events', { json: { mine: 1 } });
    originalContent = withoutChangeTimes(await readEverything());
  });
  afterEach(async () => {
    expect(withoutChangeTimes(await readEverything())).toEqual(originalContent);
    expect(findInconsistencies(pda.home)).toEqual([]);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'in several archives with German file names is one import, which can be undone without a trace',
    async () => {
      const parts = [
        { name: 'takeout-20240401T100000Z-001.zip', data: buildZip(TAKEOUT.slice(0, 3)) },
        { name: 'takeout-20240401T100000Z-002.zip', data: buildZip(TAKEOUT.slice(3, 6), { isZip64: true }) },
        { name: 'takeout-20240401T100000Z-003.tgz', data: buildTgz(TAKEOUT.slice(6)) },
      ];
      const job = await uploadFiles(parts);
      expect(job).toMatchObject({ fileName: 'takeout-20240401T100000Z (3 files)', files: [{}, {}, {}] });
      const preview = await previewOf(job);
      expect(preview).toMatchObject({ format: 'known', found: { source: 'google', complete: true, leftOut: 2 } });
      expect(countsOf(preview)).toEqual(EXPECTED_COUNTS);
      expect(preview.found?.kinds.find(({ endpoint }) => endpoint === 'google/locations')).toMatchObject({
        first: '2023-05-01',
        last: '2023-05-01',
        samples: [{ latitude: 52.5200066 }, {}],
      });
      const positions = preview.found?.problems.first.map(({ position }) => position);
      expect(positions).toContain('takeout-20240401T100000Z-001.zip/Takeout/Kalender/Familie.ics, line 27');

      const result = await run(job, { format: 'known', kinds: Object.keys(EXPECTED_COUNTS) });
      expect(result).toMatchObject({ state: 'done', added: 16, skipped: 1, changed: 0, endpoint: null });
      expect(Object.fromEntries(result.kinds.map(({ endpoint, added }) => [endpoint, added]))).toEqual(EXPECTED_COUNTS);
      expect(result.problems).toMatchObject({ count: 9, first: { length: 9 } });
      expect(await dataAt(pda, 'mail/messages')).toHaveLength(2);

      const secondImport = await importFiles(...parts);
      expect(secondImport, 'second import').toMatchObject({ state: 'done', added: 0, skipped: 17, changed: 0 });
      await undoImports(result, secondImport);
    },
  );

  it('can be imported in part, and the rest later', async () => {
    const job = await uploadFiles([{ name: 'takeout.zip', data: buildZip(TAKEOUT) }]);
    const result = await run(job, { format: 'known', kinds: ['contacts/people'] });
    expect(result).toMatchObject({ added: 3, kinds: [{ endpoint: 'contacts/people', added: 3 }] });
    const remainingImport = await importFiles({ name: 'takeout.tgz', data: buildTgz(TAKEOUT) });
    expect(remainingImport).toMatchObject({ added: 13, skipped: 4 });
    await undoImports(result, remainingImport);
  });

  it('adds new and updates changed records from later data without duplicates, and undo reverts this', async () => {
    const event = (title: string, uid = 1): string =>
      `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20240101T100000Z\r\nSUMMARY:${title}\r\nEND:VEVENT\r\n`;
    const calendar = (...events: string[]): UploadFile => ({
      name: 'calendar.ics',
      data: `BEGIN:VCALENDAR\r\n${events.join('')}END:VCALENDAR\r\n`,
    });
    const firstImport = await importFiles(calendar(event('old'), event('same', 2)));
    const laterImport = await importFiles(calendar(event('new'), event('same', 2), event('more', 3)));
    expect(laterImport).toMatchObject({ added: 1, skipped: 1, changed: 1 });
    expect(await dataAt(pda, 'calendar/events')).toMatchObject([
      { mine: 1 },
      { title: 'new' },
      { title: 'same' },
      { title: 'more' },
    ]);
    expect(await importFiles(calendar(event('new')))).toMatchObject({ added: 0, changed: 0 });
    await undoImports(laterImport);
    expect(await dataAt(pda, 'calendar/events')).toMatchObject([{ mine: 1 }, { title: 'old' }, { title: 'same' }]);
    expect(await importFiles(calendar(event('old')))).toMatchObject({ added: 0, changed: 0, skipped: 1 });
    await undoImports(firstImport);
    const repeatedImport = await importFiles(calendar(event('old')));
    expect(repeatedImport, 'an undone entry is imported again').toMatchObject({ added: 1 });
    await undoImports(repeatedImport);
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'leaves no inferred fields when its import is undone, even if the number of records is the same',
    async () => {
      const calendar = (location: string): UploadFile => {
        const events = Array.from(
          { length: MAX_SAMPLED_RECORDS },
          (_, uid) =>
            `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20240101T100000Z\r\nSUMMARY:Run\r\n${location}END:VEVENT\r\n`,
        );
        return { name: 'calendar.ics', data: `BEGIN:VCALENDAR\r\n${events.join('')}END:VCALENDAR\r\n` };
      };
      const listFieldPaths = async (): Promise<string[]> => {
        const reply = await pda.call('GET', '/api/v2.6/owner/fields?endpoint=calendar/events');
        return endpointFieldsSchema.parse(reply.json).fields.map(({ path }) => path);
      };
      const firstImport = await importFiles(calendar(''));
      const laterImport = await importFiles(calendar('LOCATION:Park\r\n'));
      expect(laterImport).toMatchObject({ added: 0, changed: MAX_SAMPLED_RECORDS });
      expect(await listFieldPaths()).toContain('location');
      await undoImports(laterImport);
      expect(await listFieldPaths()).not.toContain('location');
      await undoImports(firstImport);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    'keeps later content when its import is undone after a later one changed the same records',
    async () => {
      const calendar = (title: string): UploadFile => ({
        name: 'calendar.ics',
        data: `BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:1\r\nDTSTART:20240101T100000Z\r\nSUMMARY:${title}\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`,
      });
      const jobs: ImportJob[] = [];
      for (const title of ['first', 'second', 'third']) jobs.push(await importFiles(calendar(title)));
      const [firstImport, secondImport, thirdImport] = jobs as [ImportJob, ImportJob, ImportJob];
      await undoImports(secondImport);
      expect(await dataAt(pda, 'calendar/events')).toMatchObject([{ mine: 1 }, { title: 'third' }]);
      expect(await importFiles(calendar('third'))).toMatchObject({ changed: 0, skipped: 1 });
      await undoImports(thirdImport);
      expect(await dataAt(pda, 'calendar/events')).toMatchObject([{ mine: 1 }, { title: 'first' }]);
      await undoImports(firstImport);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)(
    "keeps the owner's changes to updated records when its import is undone, and removes added records",
    async () => {
      const event = (title: string, uid: number): string =>
        `BEGIN:VEVENT\r\nUID:${uid}\r\nDTSTART:20240101T100000Z\r\nSUMMARY:${title}\r\nEND:VEVENT\r\n`;
      const calendar = (title: string): UploadFile => ({
        name: 'calendar.ics',
        data: `BEGIN:VCALENDAR\r\n${event(title, 1)}${event(title, 2)}END:VCALENDAR\r\n`,
      });
      const firstImport = await importFiles(calendar('old'));
      const laterImport = await importFiles(calendar('new'));
      expect(laterImport).toMatchObject({ changed: 2 });
      const records = (await pda.call('GET', '/api/v2.6/data/calendar/events')).json as StoredRecord[];
      const [newRecord] = records.filter(({ data }) => data['title'] === 'new') as [StoredRecord];
      const { endpoint, recordId } = newRecord;
      await pda.call('PUT', '/api/v2.6/data', {
        json: [{ endpoint, recordId, data: { ...newRecord.data, title: 'by hand' } }],
      });
      await undoImports(laterImport);
      expect(await dataAt(pda, 'calendar/events')).toMatchObject([{ mine: 1 }, { title: 'by hand' }, { title: 'old' }]);
      await undoImports(firstImport);
      expect(await dataAt(pda, 'calendar/events')).toMatchObject([{ mine: 1 }]);
    },
  );

  it('adds no entry that equals an existing record, and updates this record when the entry changes', async () => {
    const card = (uid: string, name: string): string =>
      `BEGIN:VCARD\r\nVERSION:4.0\r\nUID:${uid}\r\nFN:${name}\r\nEND:VCARD\r\n`;
    await pda.call('POST', '/api/v2.6/data/contacts/people', { json: { uid: '1', name: 'Ada' } });
    const file = { name: 'c.vcf', data: card('1', 'Ada') + card('2', 'Bob') };
    const firstImport = await importFiles(file);
    expect(firstImport).toMatchObject({ added: 1, skipped: 1 });
    const secondImport = await importFiles(file);
    expect(secondImport).toMatchObject({ added: 0, skipped: 2, changed: 0 });
    const laterImport = await importFiles({ name: 'c.vcf', data: card('1', 'Ada L.') });
    expect(laterImport).toMatchObject({ added: 0, changed: 1 });
    await undoImports(firstImport, secondImport, laterImport);
    expect(await dataAt(pda, 'contacts/people')).toEqual([{ uid: '1', name: 'Ada' }]);
    await pda.call('DELETE', '/api/v2.6/data/contacts/people');
  });

  it.skipIf(!IS_THOROUGH_RUN)('duplicates no records that were stored without an import', async () => {
    const job = await importFiles({ name: 'c.vcf', data: samples.CONTACTS });
    const data = await dataAt(pda, 'contacts/people');
    await undoImports(job);
    await pda.call('POST', '/api/v2.6/data/contacts/people', { json: data.slice(0, 2) });
    const secondImport = await importFiles({ name: 'c.vcf', data: samples.CONTACTS });
    expect(secondImport).toMatchObject({ added: 1, skipped: 2 });
    await undoImports(secondImport);
    await pda.call('DELETE', '/api/v2.6/data/contacts/people');
  });

  it.skipIf(!IS_THOROUGH_RUN)(
    'from Apple Health is recognised under a German file name, with electrocardiograms',
    async () => {
      const archive = buildZip([
        { name: 'apple_health_export/Exportieren.xml', data: samples.buildHealthExport(samples.HEALTH_RECORDS) },
        { name: 'apple_health_export/export_cda.xml', data: '<?xml version="1.0"?><ClinicalDocument/>' },
        { name: 'apple_health_export/electrocardiograms/ecg_2024-03-04.csv', data: samples.ECG },
        { name: 'apple_health_export/workout-routes/route_1.gpx', data: '<gpx/>' },
      ]);
      const job = await uploadFiles([{ name: 'Export.zip', data: archive }]);
      const preview = await previewOf(job);
      expect(preview.found).toMatchObject({ source: 'apple-health', leftOut: 2 });
      const counts = { 'health/records': 3, 'health/workouts': 1, 'health/days': 1, 'health/ecgs': 1 };
      expect(countsOf(preview)).toEqual(counts);
      const result = await run(job, { format: 'known', kinds: Object.keys(counts) });
      expect(result).toMatchObject({ added: 6, problems: { count: 2 } });
      await undoImports(result);
    },
  );

  it.skipIf(!IS_THOROUGH_RUN)("of a bank is previewed as detected, and read with the owner's corrections", async () => {
    const job = await uploadFiles([{ name: 'Umsaetze.csv', data: samples.STATEMENT }]);
    const preview = await previewOf(job);
    expect(preview).toMatchObject({
      format: 'bank',
      bank: { options: { headerLine: 4, decimal: ',' }, headings: ['Buchungstag', 'Wertstellung', 'Buchungstext', 'Auftraggeber / Beg\u00fcnstigter', 'Verwendungszweck', 'Betrag (EUR)', 'Gl\u00e4ubiger-ID'] },
      found: { kinds: [{ endpoint: 'bank/transactions', count: 4, first: '2024-03-01', last: '2024-03-28' }], problems: { count: 1 } },
    }); // prettier-ignore
    if (preview.bank === null) throw new Error('no bank options were detected');
    const roles = preview.bank.options.roles.map((role) => (role === 'other' ? 'skip' : role));
    const bank = { ...preview.bank.options, roles };
    expect((await previewOf(job, bank)).found?.kinds[0]?.samples[0]).not.toHaveProperty('other');
    const result = await run(job, { format: 'bank', bank });
    expect(result).toMatchObject({ added: 4, format: 'bank', problems: { count: 1 } });
    expect(
      await run(await uploadFiles([{ name: 'again.csv', data: samples.STATEMENT }]), { format: 'bank', bank }),
    ).toMatchObject({ added: 0, skipped: 4 });
    await undoImports(result);
  });

  it.skipIf(!IS_THOROUGH_RUN)('without known content, or in a truncated archive, has an unknown format', async () => {
    const emptyUpload = await uploadFiles([{ name: 'a.zip', data: buildZip([{ name: 'a.txt', data: 'hello' }]) }]);
    expect(await previewOf(emptyUpload)).toMatchObject({ format: 'unknown', found: { kinds: [], leftOut: 1 } });
    const truncatedZip = buildZip(TAKEOUT).subarray(0, 900);
    const brokenPreview = await previewOf(await uploadFiles([{ name: 'cut.zip', data: truncatedZip }]));
    expect(brokenPreview).toMatchObject({
      format: 'unknown',
      error: { problem: expect.stringContaining('it is incomplete') },
    });
    expect((await startImport(pda, emptyUpload.importId, { format: 'known', kinds: ['made/up'] })).status).toBe(400);
  });
});
