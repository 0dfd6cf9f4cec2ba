import { afterEach, describe, expect, it } from 'vitest';
import { anEntry, openLedger, type TestLedger } from '../harness.test-support.ts';

let opened: TestLedger;
afterEach(() => opened.ledger.close());

describe('events about new access log entries', () => {
  it('are sent immediately for the first entry', async () => {
    opened = openLedger();
    await opened.ledger.write(anEntry());
    expect(opened.eventCount()).toBe(1);
  });

  it('are delayed for an entry that follows immediately', async () => {
    opened = openLedger();
    await opened.ledger.write(anEntry());
    await opened.ledger.write(anEntry());
    expect(opened.eventCount()).toBe(1);
    await expect.poll(() => opened.eventCount()).toBe(2);
  });

  it('are sent at most twice a second for thousands of entries', async () => {
    opened = openLedger();
    const start = performance.now();
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => opened.ledger.write(anEntry())));
    }
    const seconds = (performance.now() - start) / 1000;
    expect(opened.eventCount()).toBeLessThanOrEqual(2 + seconds * 2);
  });
});
