import { appendFileSync, statSync, unlinkSync, utimesSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDiskClock, startTestFolder, type TestFolder } from './harness.test-support.ts';

let harness: TestFolder;
beforeEach(async () => {
  harness = await startTestFolder();
});
afterEach(() => harness.remove());

const waitUntilIdle = (): Promise<void> => harness.waitUntilIdle();

describe('a file that is still being written', () => {
  it('is registered after its writer has finished, even if the writer pauses several times', async () => {
    const diskClock = createDiskClock();
    await harness.stop();
    await harness.start({ diskClock, delays: { quietMs: 2000 } });
    const file = harness.put('copy.bin', 'begun');
    for (const suffix of [' and', ' gone', ' on']) {
      diskClock.set(statSync(file).mtimeMs + 1900);
      await diskClock.waitUntilCompared();
      expect(harness.allRows()).toEqual([]);
      appendFileSync(file, suffix);
    }
    diskClock.set(statSync(file).mtimeMs + 2100);
    await waitUntilIdle();
    const { size, added, updated } = harness.row('copy.bin');
    expect(size).toBe('begun and gone on'.length);
    expect(updated, 'its content did not change after it was registered').toBe(added);
  });

  it('is registered after its attributes stop changing if its times are in the future', async () => {
    const diskClock = createDiskClock();
    const tomorrow = new Date(Date.now() + 86_400_000);
    await harness.stop();
    await harness.start({ diskClock, delays: { quietMs: 2000 } });
    const file = harness.put('copy.bin', 'begun');
    utimesSync(file, tomorrow, tomorrow);
    await diskClock.waitUntilCompared();
    diskClock.advance(1900);
    await diskClock.waitUntilCompared();
    appendFileSync(file, ' and gone on');
    utimesSync(file, tomorrow, tomorrow);
    await diskClock.waitUntilCompared();
    diskClock.advance(1900);
    await diskClock.waitUntilCompared();
    expect(harness.allRows()).toEqual([]);
    // The last change may not be detected until now, which restarts the quiet period.
    const clockTimer = setInterval(() => diskClock.advance(2100), 100);
    await waitUntilIdle().finally(() => clearInterval(clockTimer));
    const { size, added, updated } = harness.row('copy.bin');
    expect(size).toBe(17);
    expect(updated, 'its content did not change after it was registered').toBe(added);
  });

  it('is registered, and later marked as deleted, on time although the clock is set back meanwhile', async () => {
    const diskClock = createDiskClock();
    await harness.stop();
    await harness.start({ diskClock, delays: { quietMs: 2000 } });
    const setBackAndWait = async (): Promise<void> => {
      await diskClock.waitUntilCompared();
      diskClock.advance(-86_400_000);
      const clockTimer = setInterval(() => diskClock.advance(2100), 100);
      await waitUntilIdle().finally(() => clearInterval(clockTimer));
    };
    const file = harness.put('copy.bin', 'begun');
    await setBackAndWait();
    const { seq } = harness.row('copy.bin');
    unlinkSync(file);
    await setBackAndWait();
    expect(harness.store.findBySeq(seq)?.status).toBe('Deleted');
  });
});
