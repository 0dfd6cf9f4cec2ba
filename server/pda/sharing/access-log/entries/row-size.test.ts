import { afterEach, describe, expect, it } from 'vitest';
import { anEntry, holding, openLedger, type TestLedger } from '../harness.test-support.ts';

const ROWS = 1000;
const PER_ANSWER = 100;
/** Between two records a minute or so: their places in the order of creation lie far apart. */
const SEQS_PER_MINUTE = 60_000 * 4096;

let opened: TestLedger;
afterEach(() => {
  opened.ledger.close();
  opened.db.close();
});

const record = (number: number): number => number * SEQS_PER_MINUTE + (number % 7);
const bytesOf = ({ db }: TestLedger): number =>
  Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }));

/** Bytes that a row costs, with all that it takes to find it, once its records have been met. */
const bytesPerRow = async (answer: (row: number) => number[]): Promise<number> => {
  opened = openLedger();
  const { ledger, clock } = opened;
  const write = async (from: number, to: number): Promise<void> => {
    for (let at = from; at < to; at += PER_ANSWER) {
      clock.advance(60_000);
      const some = Array.from({ length: PER_ANSWER }, (_, index) =>
        anEntry({ records: holding(...answer(at + index)) }),
      );
      await Promise.all(some.map((entry) => ledger.write(entry)));
    }
  };
  await write(0, ROWS);
  const before = bytesOf(opened);
  await write(ROWS, 2 * ROWS);
  return (bytesOf(opened) - before) / ROWS;
};

const window = (first: number): number[] => Array.from({ length: PER_ANSWER }, (_, index) => record(first + index));

describe('a row of an answer of 100 records', () => {
  it('costs less than 60 bytes when the same records are read again and again', async () => {
    expect(await bytesPerRow(() => window(0))).toBeLessThan(60);
  });

  it('costs less than 60 bytes when they are pages of neighbours', async () => {
    expect(await bytesPerRow((row) => window((row % 50) * PER_ANSWER))).toBeLessThan(60);
  });

  it('costs less than 100 bytes when each time one is new: that one with its id is most of it', async () => {
    expect(await bytesPerRow((row) => window(row))).toBeLessThan(100);
  });

  it('costs less than 350 bytes when they are scattered over thousands', async () => {
    let state = 1;
    const random = (): number => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0);
    const scattered = (): number[] => Array.from({ length: PER_ANSWER }, () => record(random() % 5000));
    expect(await bytesPerRow(scattered)).toBeLessThan(350);
  });
});
