import { afterEach, describe, expect, it } from 'vitest';
import { anEntry, openLedger, type TestLedger } from '../harness.test-support.ts';

let testLog: TestLedger;
afterEach(() => testLog.ledger.close());

describe('events about new access log entries', () => {
  it('are sent immediately for the first entry', async () => {
    testLog = openLedger();
    await testLog.ledger.write(anEntry());
    expect(testLog.eventCount()).toBe(1);
  });

  it('are delayed for an entry that follows immediately', async () => {
    testLog = openLedger();
    await testLog.ledger.write(anEntry());
    await testLog.ledger.write(anEntry());
    expect(testLog.eventCount()).toBe(1);
    await expect.poll(() => testLog.eventCount()).toBe(2);
  });

  it('are sent at most twice a second for thousands of entries', async () => {
    testLog = openLedger();
    const start = performance.now();
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => testLog.ledger.write(anEntry())));
    }
    const seconds = (performance.now() - start) / 1000;
    expect(testLog.eventCount()).toBeLessThanOrEqual(2 + seconds * 2);
  });
});
