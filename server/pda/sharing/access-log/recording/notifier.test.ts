import { afterEach, describe, expect, it } from 'vitest';
import { anEntry, openLedger, type TestLedger } from '../harness.test-support.ts';

let opened: TestLedger;
afterEach(() => opened.ledger.close());

describe('pages that show the ledger', () => {
  it('report a new row immediately', async () => {
    opened = openLedger();
    await opened.ledger.write(anEntry());
    expect(opened.topics()).toBe(1);
  });

  it('hear a moment later of what came right after', async () => {
    opened = openLedger();
    await opened.ledger.write(anEntry());
    await opened.ledger.write(anEntry());
    expect(opened.topics()).toBe(1);
    await expect.poll(() => opened.topics()).toBe(2);
  });

  it('batch the reports of thousands of rows', async () => {
    opened = openLedger();
    const begun = performance.now();
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => opened.ledger.write(anEntry())));
    }
    const seconds = (performance.now() - begun) / 1000;
    expect(opened.topics()).toBeLessThanOrEqual(2 + seconds * 2);
  });
});
