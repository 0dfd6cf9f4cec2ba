import { expect, it } from 'vitest';
import * as samples from '../../../../../tests/samples/importers/samples.ts';
import { bankEncodingOf, bankLinesOf } from '../formats/bank.ts';
import { guessBankOptionsOfLines } from '../formats/bank-rules.ts';
import { createReader, type ReaderName } from '../formats/registry.ts';
import { createSharedPosition, positionIn, trackEntries } from './abandoned-entries.ts';

const CHUNK_BYTES = 500;
const FILE = { source: 1, member: 2 };
const BANK_ENCODING = bankEncodingOf(samples.STATEMENT);
const BANK_OPTIONS = guessBankOptionsOfLines(bankLinesOf(samples.STATEMENT, BANK_ENCODING), BANK_ENCODING);

/** Positions of the entries and of the abandoned entries, and the number of entries that the reader began. */
type Result = { entries: string[]; abandoned: string[]; startedCount: number };

const read = async (reader: ReaderName, content: Buffer, abandonedEntry: number): Promise<Result> => {
  const result: Result = { entries: [], abandoned: [], startedCount: 0 };
  const sink = {
    addEntry: (_: unknown, filePosition: string) => void result.entries.push(filePosition),
    addProblem(filePosition: string, problem: string) {
      if (problem === 'reading this entry took too long') result.abandoned.push(filePosition);
    },
  };
  const position = createSharedPosition();
  const abandoned = [{ ...FILE, entry: abandonedEntry }];
  const formatReader = createReader(reader, trackEntries(sink, FILE, { position, abandoned }), BANK_OPTIONS);
  expect(positionIn(position)).toBeUndefined();
  for (let start = 0; start < content.length; start += CHUNK_BYTES)
    await formatReader.push(content.subarray(start, start + CHUNK_BYTES));
  await formatReader.end();
  const lastPosition = positionIn(position);
  expect(lastPosition).toMatchObject(FILE);
  result.startedCount = lastPosition?.entry ?? 0;
  return result;
};

it.each<[ReaderName, Buffer | string]>([
  ['calendar', samples.CALENDAR],
  ['contacts', samples.CONTACTS],
  ['mailbox', samples.MAILBOX],
  ['health', samples.buildHealthExport(samples.HEALTH_RECORDS)],
  ['ecg', samples.ECG],
  ['places', samples.LOCATION_RECORDS],
  ['places', samples.TIMELINE_ANDROID],
  ['activity', samples.ACTIVITY_JSON],
  ['activityPage', samples.ACTIVITY_HTML],
  ['bank', samples.STATEMENT],
])('leaves out exactly the abandoned entry and reports it: %s', async (reader, sample) => {
  const content = Buffer.from(sample);
  const completeResult = await read(reader, content, 0);
  expect(completeResult.abandoned).toEqual([]);
  for (let entry = 1; entry <= completeResult.startedCount; entry += 1) {
    const { entries, abandoned, startedCount } = await read(reader, content, entry);
    expect(startedCount).toBe(completeResult.startedCount);
    expect(abandoned).toHaveLength(1);
    expect(entries).toEqual(completeResult.entries.filter((filePosition) => filePosition !== abandoned[0]));
  }
});
