import { freemem } from 'node:os';
import { afterAll, describe, expect, it } from 'vitest';
import { IS_THOROUGH_RUN } from '../../../../tests/support/long-run.ts';
import { createTestSandbox, outputOf, moduleWithProcess } from './harness.test-support.ts';

const sandbox = createTestSandbox();
afterAll(async () => sandbox.close());

const MEBIBYTE = 1024 * 1024;
const hasTooLittleMemory = freemem() < 7000 * MEBIBYTE;

describe.skipIf(hasTooLittleMemory || !IS_THOROUGH_RUN)('a function with a memory limit of 3008 MB', () => {
  it('can use almost all of it', async () => {
    const { step, report } = await sandbox.run(
      moduleWithProcess(
        'const a = []; for (let i = 0; i < 290; i++) a.push(new Uint8Array(10485760).fill(i)); return a.length',
      ),
      { memoryMb: 3008 },
    );
    expect(outputOf(step)).toBe(290);
    if (process.platform === 'linux') expect(report.peakMemoryBytes).toBeGreaterThan(2900 * MEBIBYTE);
    expect(report.peakMemoryBytes ?? 0).toBeLessThan(3008 * 1.25 * MEBIBYTE);
  });
});

describe('a function with a memory limit of 256 MB', () => {
  it('can use most of it for objects', async () => {
    const { step, report } = await sandbox.run(
      moduleWithProcess(
        'const a = []; for (let i = 0; i < 27000; i++) a.push(new Array(1000).fill(i)); return a.length',
      ),
      { memoryMb: 256 },
    );
    expect(outputOf(step)).toBe(27_000);
    expect(report.peakMemoryBytes ?? 0).toBeLessThan(256 * 1.25 * MEBIBYTE);
  });
});
