import { randomBytes } from 'node:crypto';
import { createWriteStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENTRY_KINDS } from '../server/pda/data/imports/parsing/entries.ts';
import { summariseExport } from '../server/pda/data/imports/worker/summary.ts';
import { START_CURSOR } from '../server/pda/data/imports/worker/messages.ts';
import { readInThread, summariseInThread, UnreadableFile } from '../server/pda/data/imports/worker/client.ts';
import { readExport } from '../server/pda/data/imports/worker/reader.ts';
import type { Source } from '../server/pda/data/imports/archives/source.ts';
import { buildTgz, buildZip } from './support/archives.ts';
import { CALENDAR, buildHealthExport } from './samples/importers/samples.ts';
import { IS_THOROUGH_RUN } from './support/long-run.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pda-hostile-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const writeSource = (name: string, content: Buffer | string): Source => {
  const path = join(folder, name);
  writeFileSync(path, content);
  return { path, start: 0, size: Buffer.byteLength(content), name };
};

type ParseResult = { entries: number; problems: { position: string; problem: string }[] };

/** Reads an export as the worker thread does, but in this thread. */
const parse = async (...sources: Source[]): Promise<ParseResult> => {
  const result: ParseResult = { entries: 0, problems: [] };
  await readExport({
    sources,
    kinds: ENTRY_KINDS,
    bank: undefined,
    from: START_CURSOR,
    sendBatch({ entries, problems }) {
      result.entries += entries.length;
      result.problems.push(...problems);
      return Promise.resolve();
    },
    onProgress: () => undefined,
  });
  return result;
};
const progressCountOf = async (source: Source): Promise<number> => {
  let progressCount = 0;
  await readExport({
    sources: [source],
    kinds: ENTRY_KINDS,
    bank: undefined,
    from: START_CURSOR,
    sendBatch: () => Promise.resolve(),
    onProgress: () => (progressCount += 1),
  });
  return progressCount;
};
const problemTextsOf = ({ problems }: ParseResult): string[] => problems.map(({ problem }) => problem);

describe('a hostile archive', () => {
  const calendar = { name: 'a.ics', data: CALENDAR };

  it('is reported if entries have a wrong size or overlap', async () => {
    expect(problemTextsOf(await parse(writeSource('more.zip', buildZip([calendar], { claimedBytes: 100 }))))).toEqual([
      'an entry is larger than its header says',
    ]);
    const incompleteResult = await parse(writeSource('less.zip', buildZip([calendar], { claimedBytes: 100_000 })));
    expect(problemTextsOf(incompleteResult).at(-1)).toBe('it is incomplete');
    const manyFiles = Array.from({ length: 50 }, (_, n) => ({ ...calendar, name: `${n}.ics` }));
    expect(problemTextsOf(await parse(writeSource('many.zip', buildZip(manyFiles, { isOverlapping: true }))))).toEqual([
      'its entries overlap',
    ]);
    const oversizedZip = buildZip([calendar], { claimedBytes: 2 ** 31 });
    expect(problemTextsOf(await parse(writeSource('oversized.zip', oversizedZip)))).toEqual(['it is damaged']);
  });

  it('never crashes the reader if it is truncated or damaged', async () => {
    const completeZip = buildZip([calendar, { name: 'b.ics', data: CALENDAR }]);
    const packedTar = buildTgz([calendar]);
    for (let offset = 0; offset < completeZip.length; offset += 61) {
      const damagedZip = Buffer.from(completeZip);
      damagedZip[offset] = (damagedZip[offset] ?? 0) ^ 0xff;
      for (const content of [damagedZip, completeZip.subarray(0, offset)])
        expect((await parse(writeSource('d.zip', content))).entries).toBeLessThan(20);
    }
    for (let offset = 0; offset < packedTar.length; offset += 61)
      await parse(writeSource('d.tgz', packedTar.subarray(0, offset)));
  });

  it('is read in spite of path traversal in its names', async () => {
    const names = ['../../evil.ics', '/etc/evil.ics', 'C:\\evil.ics'];
    const result = await parse(writeSource('names.zip', buildZip(names.map((name) => ({ ...calendar, name })))));
    expect(result.entries).toBe(15);
  });

  it('inside another archive is not unpacked', async () => {
    const innerZip = buildZip([calendar]);
    expect(await parse(writeSource('outer.zip', buildZip([{ name: 'inner.zip', data: innerZip }])))).toEqual({
      entries: 0,
      problems: [],
    });
  });
});

describe('an archive with much ignored content', () => {
  const MEGABYTES = 20;
  const film = { name: 'Takeout/film.mp4', data: Buffer.alloc(MEGABYTES * 1_000_000) };
  const calendar = { name: 'a.ics', data: CALENDAR };
  const archiveWithFilm = buildTgz([calendar, film]);
  const notes = Array.from({ length: 50 }, (_, n) => ({ name: `notes/${n}.txt`, data: 'not a supported format' }));

  it('reports progress, so that the import is not aborted', async () => {
    expect(await progressCountOf(writeSource('film.tgz', archiveWithFilm))).toBeGreaterThan(MEGABYTES);
    expect(await progressCountOf(writeSource('notes.zip', buildZip(notes)))).toBeGreaterThan(notes.length);
  });

  it('is read for a limited time', async () => {
    const source = writeSource('film.tgz', archiveWithFilm);
    for (const archive of [source, writeSource('notes.zip', buildZip(notes))])
      expect(await summariseExport([archive], { bank: undefined, maxMs: -1 })).toMatchObject({
        complete: false,
        kinds: [],
      });
    expect(await summariseExport([source], { bank: undefined, maxMs: 60_000 })).toMatchObject({
      complete: true,
      leftOut: 1,
      kinds: [{ endpoint: 'calendar/events' }, { endpoint: 'calendar/tasks' }],
    });
  });

  it.skipIf(!IS_THOROUGH_RUN)('causes no warning about leaked event listeners', async () => {
    const warnings: string[] = [];
    const onWarning = ({ message }: Error): void => void warnings.push(message);
    process.on('warning', onWarning);
    const data = `BEGIN:VCALENDAR\nX-A:${randomBytes(3_300_000).toString('base64')}\n${CALENDAR}`;
    await parse(writeSource('chunks.zip', buildZip([{ name: 'a.ics', data }])));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });
});

describe('a hostile file', () => {
  it('is reported if a record of one of its entries would be too large in UTF-8', async () => {
    const categories = `CATEGORIES:${Array.from({ length: 5 }, () => '漢'.repeat(400_000)).join(',')}\r\n`;
    const event = `BEGIN:VEVENT\r\nSUMMARY:a\r\nDTSTART:20240301T080000Z\r\n${categories}${categories}END:VEVENT\r\n`;
    const result = await parse(writeSource('large.ics', `BEGIN:VCALENDAR\r\n${event}END:VCALENDAR\r\n`));
    expect(result).toEqual({
      entries: 0,
      problems: [{ position: 'large.ics, line 2', problem: 'this entry is too large' }],
    });
  });

  it.skipIf(!IS_THOROUGH_RUN)('is read to its end despite an overlong line, entry or tag', async () => {
    const overlongText = 'x'.repeat(9_000_000);
    const event = 'BEGIN:VEVENT\nUID:1\nDTSTART:20240101T000000Z\nEND:VEVENT\n';
    const ics = await parse(
      writeSource('long.ics', `BEGIN:VCALENDAR\nX-LONG:${overlongText}\n${event}END:VCALENDAR\n`),
    );
    expect(ics).toMatchObject({ entries: 1, problems: [{ problem: 'this line is too long' }] });
    const locationEntry = '{"timestamp":"2024-01-01T00:00:00Z","latitudeE7":1,"longitudeE7":1}';
    const json = await parse(
      writeSource('long.json', `{"locations":[{"latitudeE7":1,"a":"${overlongText}"},${locationEntry}]}`),
    );
    expect(json).toMatchObject({ entries: 1, problems: [{ problem: 'this entry is too large' }] });
    const day = '<ActivitySummary dateComponents="2024-01-01"/>';
    const xml = await parse(writeSource('long.xml', buildHealthExport([`<Record type="${overlongText}`, day])));
    expect(xml.entries).toBe(1);
  });

  it('does not stop the reader with entity expansion or deep nesting', async () => {
    const bomb = '<!DOCTYPE HealthData [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><HealthData>';
    const xml = await parse(
      writeSource('bomb.xml', `${bomb}<Record type="&b;" startDate="2024-01-01 00:00:00 +0000"/></HealthData>`),
    );
    expect(xml.entries).toBe(1);
    const deepResult = await parse(
      writeSource('deep.json', `{"locations":[${'{"latitudeE7":'.repeat(50_000)}1${'}'.repeat(50_000)}]}`),
    );
    expect(deepResult.entries).toBe(0);
    expect(deepResult.problems).toHaveLength(1);
    const nestedCalendar = `BEGIN:VCALENDAR\n${'BEGIN:VEVENT\n'.repeat(20_000)}END:VCALENDAR\n`;
    expect((await parse(writeSource('nested.ics', nestedCalendar))).entries).toBe(0);
  });

  it('is abandoned if reading makes no progress for too long or is cancelled', async () => {
    const source = writeSource(
      'slow.xml',
      buildHealthExport(Array.from({ length: 60_000 }, () => '<Record type="a"/>')),
    );
    const summaryTask = { task: 'summarise', sources: [source], bank: undefined, maxMs: 60_000 } as const;
    await expect(summariseInThread(summaryTask, { maxSilenceMs: 5 })).rejects.toThrow(UnreadableFile);
    const controller = new AbortController();
    const summary = summariseInThread(summaryTask, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await expect(summary).rejects.toThrow('enough');
  });
});

describe('reader memory', () => {
  /** Writes an Apple Health export, one repetition of its records at a time. */
  const writeLargeExport = async (name: string, repetitions: number): Promise<Source> => {
    const lines = Array.from(
      { length: 500 },
      (_, n) =>
        ` <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="${'W'.repeat(9000)}" startDate="2024-03-01 08:00:00 +0100" value="${n}"/>\n`,
    );
    const body = `${buildHealthExport([], { end: '' })}${lines.join('')}`;
    const path = join(folder, name);
    await pipeline(async function* () {
      for (let n = 0; n < repetitions; n += 1) yield n === 0 ? body : lines.join('');
      yield '</HealthData>';
    }, createWriteStream(path));
    const size = Buffer.byteLength(body) + (repetitions - 1) * Buffer.byteLength(lines.join('')) + 13;
    return { path, start: 0, size, name };
  };

  const measurePeakRss = async (source: Source): Promise<number> => {
    let peak = 0;
    let entries = 0;
    const task = { task: 'read', sources: [source], kinds: ENTRY_KINDS, bank: undefined, from: START_CURSOR } as const;
    for await (const message of readInThread(task)) {
      if (message.type !== 'batch') continue;
      entries += message.entries.length;
      peak = Math.max(peak, process.memoryUsage.rss());
    }
    expect(entries).toBeGreaterThanOrEqual(500);
    return peak;
  };

  it.skipIf(!IS_THOROUGH_RUN)('does not depend on the size of the file', async () => {
    const [smallSource, largeSource] = [
      await writeLargeExport('small.xml', 1),
      await writeLargeExport('large.xml', 14),
    ];
    await measurePeakRss(smallSource);
    const smallPeak = await measurePeakRss(smallSource);
    // The large file is 60 MB larger.
    expect(await measurePeakRss(largeSource)).toBeLessThan(smallPeak * 1.3);
  });

  it.skipIf(!IS_THOROUGH_RUN)('stays bounded when less than 200 kB decompress to 100 MB', async () => {
    const packedZip = buildZip([{ name: 'a.json', data: `{"locations":[${' '.repeat(100_000_000)}]}` }]);
    expect(packedZip.length).toBeLessThan(200_000);
    const source = writeSource('spaces.zip', packedZip);
    const startBytes = process.memoryUsage.rss();
    expect(await parse(source)).toEqual({ entries: 0, problems: [] });
    expect(process.memoryUsage.rss() - startBytes).toBeLessThan(80_000_000);
  });
});
