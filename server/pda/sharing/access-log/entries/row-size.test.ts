import { afterEach, describe, expect, it } from 'vitest';
import { seededRandom } from '../../../account/examples/data-rules.ts';
import { anEntry, openAccessLog, recordsWith, type TestAccessLog } from '../harness.test-support.ts';
import { IS_THOROUGH_RUN } from '../../../../../tests/support/long-run.ts';

const ROWS = 1000;
const RECORDS_PER_RESPONSE = 100;
const ENTRIES_PER_MINUTE = 100;
/** Difference between the sequence numbers of two records that are created one minute apart. */
const SEQS_PER_MINUTE = 60_000 * 4096;

let testLog: TestAccessLog;
afterEach(() => {
  testLog.accessLog.close();
  testLog.db.close();
});

const seqOfRecord = (number: number): number => number * SEQS_PER_MINUTE + (number % 7);
const bytesOf = ({ db }: TestAccessLog): number =>
  Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));

/**
 * Returns the bytes per row, including all indexes. Measures only the second `ROWS` rows, because the first rows also
 * store new record numbers.
 */
const bytesPerRow = async (recordsOfRow: (row: number) => number[]): Promise<number> => {
  testLog = openAccessLog();
  const { accessLog, clock } = testLog;
  const write = async (from: number, to: number): Promise<void> => {
    for (let offset = from; offset < to; offset += ENTRIES_PER_MINUTE) {
      clock.advance(60_000);
      const entries = Array.from({ length: ENTRIES_PER_MINUTE }, (_, index) =>
        anEntry({ records: recordsWith(...recordsOfRow(offset + index)) }),
      );
      await Promise.all(entries.map((entry) => accessLog.write(entry)));
    }
  };
  await write(0, ROWS);
  const initialBytes = bytesOf(testLog);
  await write(ROWS, 2 * ROWS);
  return (bytesOf(testLog) - initialBytes) / ROWS;
};

const consecutiveSeqs = (first: number): number[] =>
  Array.from({ length: RECORDS_PER_RESPONSE }, (_, index) => seqOfRecord(first + index));

describe('the size of a row with 100 records', () => {
  it('is below 60 bytes when the same records are read repeatedly', async () => {
    expect(await bytesPerRow(() => consecutiveSeqs(0))).toBeLessThan(60);
  });

  it('is below 60 bytes when pages of consecutive records are read', async () => {
    expect(await bytesPerRow((row) => consecutiveSeqs((row % 50) * RECORDS_PER_RESPONSE))).toBeLessThan(60);
  });

  it('is below 100 bytes when each response has one new record', async () => {
    expect(await bytesPerRow((row) => consecutiveSeqs(row))).toBeLessThan(100);
  });

  it.skipIf(!IS_THOROUGH_RUN)('is below 350 bytes when the records are scattered among thousands', async () => {
    const random = seededRandom(1);
    const scatteredSeqs = (): number[] =>
      Array.from({ length: RECORDS_PER_RESPONSE }, () => seqOfRecord(Math.floor(random() * 5000)));
    expect(await bytesPerRow(scatteredSeqs)).toBeLessThan(350);
  });
});
