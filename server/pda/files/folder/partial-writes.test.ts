import { appendFileSync, statSync, utimesSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startTestFolder, type TestFolder } from './harness.test-support.ts';

let harness: TestFolder;
beforeEach(async () => {
  harness = await startTestFolder();
});
afterEach(() => harness.remove());

const waitUntilIdle = (): Promise<void> => harness.waitUntilIdle();

describe('a file that is still being written', () => {
  it('is registered after its writer has finished, even if the writer pauses several times', async () => {
    let now = Date.now();
    await harness.stop();
    await harness.start({ diskClock: { now: () => now }, delays: { quietMs: 2000 } });
    const file = harness.put('copy.bin', 'begun');
    for (const suffix of [' and', ' gone', ' on']) {
      now = statSync(file).mtimeMs + 1900;
      await pause(50);
      expect(harness.allRows()).toEqual([]);
      appendFileSync(file, suffix);
    }
    now = statSync(file).mtimeMs + 2100;
    await waitUntilIdle();
    expect(harness.row('copy.bin').size).toBe('begun and gone on'.length);
  });

  it('is registered after its attributes stop changing if its times are in the future', async () => {
    let now = Date.now();
    const tomorrow = new Date(Date.now() + 86_400_000);
    await harness.stop();
    await harness.start({ diskClock: { now: () => now }, delays: { quietMs: 2000 } });
    const file = harness.put('copy.bin', 'begun');
    utimesSync(file, tomorrow, tomorrow);
    await pause(50);
    now += 1900;
    await pause(50);
    appendFileSync(file, ' and gone on');
    utimesSync(file, tomorrow, tomorrow);
    await pause(50);
    now += 1900;
    await pause(50);
    expect(harness.allRows()).toEqual([]);
    // The last change may be detected only now, which restarts the quiet period.
    const moving = setInterval(() => (now += 2100), 100);
    await waitUntilIdle().finally(() => clearInterval(moving));
    expect(harness.row('copy.bin').size).toBe(17);
  });
});
