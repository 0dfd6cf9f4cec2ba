import { afterEach, describe, expect, it, vi } from 'vitest';
import { anEntry, openAccessLog, type TestAccessLog } from '../harness.test-support.ts';

let testLog: TestAccessLog;
afterEach(() => {
  vi.useRealTimers();
  testLog.accessLog.close();
});

describe('events about new access log entries', () => {
  it('are sent immediately for the first entry', async () => {
    testLog = openAccessLog();
    await testLog.accessLog.write(anEntry());
    expect(testLog.eventCount()).toBe(1);
  });

  it('are delayed for an entry that follows immediately', async () => {
    testLog = openAccessLog();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    await testLog.accessLog.write(anEntry());
    await testLog.accessLog.write(anEntry());
    expect(testLog.eventCount()).toBe(1);
    vi.advanceTimersByTime(499);
    await testLog.accessLog.write(anEntry());
    expect(testLog.eventCount()).toBe(1);
    vi.advanceTimersByTime(1);
    await expect.poll(() => testLog.eventCount()).toBe(2);
  });

  it('are sent at most twice a second for thousands of entries', async () => {
    testLog = openAccessLog();
    const start = performance.now();
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 100 }, () => testLog.accessLog.write(anEntry())));
    }
    const seconds = (performance.now() - start) / 1000;
    expect(testLog.eventCount()).toBeLessThanOrEqual(2 + seconds * 2);
  });
});
