import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isAlive } from '../../../../tests/support/is-alive.ts';
import { codeOf } from '../../../wire/values.ts';
import type { Step } from '../runs/function-host.ts';
import { createTestSandbox, GENEROUS_TIME_LIMIT_MS, outputOf, moduleWithProcess } from './harness.test-support.ts';

const sandbox = createTestSandbox();
afterAll(async () => sandbox.close());

const THREE_STEP_MODULE = `
let calls = 0;
export const configuration = () => ({ calls: ++calls });
export async function dataBundle(window) { await null; return { window, calls: ++calls }; }
export function process(request) { console.log('records', request.records.length); return [{ calls: ++calls, request }]; }
`;
const ENDLESS = moduleWithProcess('scratch.write("a", "x"); for (;;);');

const livePidsIn = (runsFolder = sandbox.runsFolder): number[] => {
  const names = readdirSync(runsFolder).filter((name) => name.endsWith('.pid'));
  return names.flatMap((name) => readPidFile(join(runsFolder, name))).filter(isAlive);
};
/** Returns no pid if the file was deleted in the meantime: hosts clean up in the background. */
const readPidFile = (file: string): number[] => {
  try {
    return [Number(readFileSync(file, 'latin1'))];
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
};

/** Waits until `count` functions are in their endless loop. Each writes a file before the loop. */
const waitUntilRunning = async (count: number, runsFolder = sandbox.runsFolder): Promise<number[]> => {
  const files = () => readdirSync(runsFolder, { recursive: true }).filter((name) => String(name).endsWith(`${sep}1`));
  await expect.poll(() => [files().length, livePidsIn(runsFolder).length], { interval: 20 }).toEqual([count, count]);
  return livePidsIn(runsFolder);
};

describe('a session', () => {
  it('runs its three operations in one process, in order', async () => {
    const session = sandbox.open(THREE_STEP_MODULE);
    const [configuration, bundle, output] = await Promise.all([
      session.configuration(),
      session.dataBundle({ untilDate: '2026-01-01T00:00:00.000Z' }),
      session.process(JSON.stringify({ records: [1, 2, 3] })),
    ]);
    expect(outputOf(configuration)).toEqual({ calls: 1 });
    expect(outputOf(bundle)).toEqual({ calls: 2, window: { untilDate: '2026-01-01T00:00:00.000Z' } });
    expect(outputOf(output)).toEqual([{ calls: 3, request: { records: [1, 2, 3] } }]);
    const report = await session.close();
    expect(report.log).toEqual(['records 3']);
    expect(report.durationMs).toBeGreaterThan(0);
    if (process.platform === 'linux') expect(report.peakMemoryBytes).toBeGreaterThan(5_000_000);
    expect(await session.close()).toEqual(report);
  });

  it('leaves no process and no files', async () => {
    const session = sandbox.open(moduleWithProcess('scratch.write("a", "x".repeat(1000)); return scratch.list()'));
    expect(outputOf(await session.process('{}'))).toEqual([{ name: 'a', bytes: 1000 }]);
    const pids = livePidsIn();
    expect(pids).toHaveLength(1);
    await session.close();
    expect(pids.filter(isAlive)).toEqual([]);
    await expect.poll(() => readdirSync(sandbox.runsFolder)).toEqual([]);
  });

  it('accepts a request of six megabytes, and fails on a larger one', async () => {
    const session = sandbox.open(moduleWithProcess('return request.text.length'));
    const maxTextChars = 6_000_000 - JSON.stringify({ text: '' }).length;
    expect(outputOf(await session.process(JSON.stringify({ text: 'x'.repeat(maxTextChars) })))).toBe(maxTextChars);
    const refusedStep = await session.process(JSON.stringify({ text: 'x'.repeat(maxTextChars + 1) }));
    expect(outputOf(refusedStep)).toMatch(/^error: the request/);
    expect(await session.process('{}')).toEqual(refusedStep);
    await expect.poll(() => livePidsIn()).toEqual([]);
    await session.close();
  });

  it('returns ten megabytes of output', async () => {
    const { step } = await sandbox.run(moduleWithProcess('return "é".repeat(4999999)'));
    expect(step.outcome === 'done' ? Buffer.byteLength(step.text) : step).toBe(10_000_000);
  });

  it('returns the first failure for every later step', async () => {
    const session = sandbox.open(
      `export const configuration = () => { throw new Error('broken') }; ${moduleWithProcess('return 1')}`,
    );
    const failedStep = await session.configuration();
    expect(outputOf(failedStep)).toBe('error: Error: broken');
    expect(await session.process('{}')).toEqual(failedStep);
    expect(await session.dataBundle({ untilDate: 'x' })).toEqual(failedStep);
    await session.close();
    expect(await session.process('{}')).toEqual(failedStep);
  });

  it('reports a missing module', async () => {
    const session = sandbox.host.open({
      id: 'x',
      version: '1.0.0',
      memoryMb: 128,
      timeoutMs: GENEROUS_TIME_LIMIT_MS,
      location: `${sandbox.runsFolder}/nothing.mjs`,
    });
    expect(outputOf(await session.configuration())).toBe('error: the module cannot be read');
    await session.close();
  });

  it.each(['before', 'after'])(
    'fails if its folder cannot be created %s the confinement is detected, without affecting later sessions',
    async (time) => {
      const otherSandbox = createTestSandbox();
      if (time === 'after') await otherSandbox.host.detectConfinement();
      rmSync(otherSandbox.runsFolder, { recursive: true });
      writeFileSync(otherSandbox.runsFolder, '');
      const failedSession = otherSandbox.open(THREE_STEP_MODULE);
      expect((await failedSession.configuration()).outcome).toBe('crashed');
      await failedSession.close();
      rmSync(otherSandbox.runsFolder);
      const session = otherSandbox.open(THREE_STEP_MODULE);
      expect(outputOf(await session.configuration())).toEqual({ calls: 1 });
      await session.close();
      await otherSandbox.close();
    },
  );

  it('has private scratch files', async () => {
    const firstRun = await sandbox.run(moduleWithProcess('scratch.write("a", "secret"); return scratch.list().length'));
    const secondRun = await sandbox.run(moduleWithProcess('return scratch.list()'));
    expect([outputOf(firstRun.step), outputOf(secondRun.step)]).toEqual([1, []]);
  });

  it('preserves the bytes of scratch files, accepts large texts and removes files', async () => {
    const { step } = await sandbox.run(
      moduleWithProcess(`
        const text = 'aé€😀\\ud800'.repeat(300000);
        scratch.write('text', text);
        const bytes = Uint8Array.from({ length: 2000001 }, (_, index) => index % 256);
        scratch.write('bytes', bytes);
        scratch.append('bytes', bytes.buffer);
        const back = scratch.readBytes('bytes');
        scratch.remove('text');
        return [text.length, back.length, back.every((byte, index) => byte === (index % 2000001) % 256), scratch.list()];
      `),
    );
    expect(outputOf(step)).toEqual([1_800_000, 4_000_002, true, [{ name: 'bytes', bytes: 4_000_002 }]]);
  });
});

describe('the time limit of a session', () => {
  // The server's clock stands still until a test advances it. The process has the real clock.
  beforeEach(async () => {
    await sandbox.host.detectConfinement();
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => void vi.useRealTimers());

  /** Lets `ms` pass before the process can respond to a step. */
  const spend = async (step: Promise<Step>, ms: number): Promise<Step> => {
    // The session sends the step in a microtask.
    await Promise.resolve();
    vi.advanceTimersByTime(ms);
    return step;
  };

  it('applies to the sum of its steps', async () => {
    const session = sandbox.open(`export const configuration = () => 1; ${ENDLESS}`);
    expect((await session.configuration()).outcome).toBe('done');
    // Each of the two steps is within the limit.
    expect((await spend(session.configuration(), 0.6 * GENEROUS_TIME_LIMIT_MS)).outcome).toBe('done');
    expect((await spend(session.process('{}'), 0.4 * GENEROUS_TIME_LIMIT_MS)).outcome).toBe('time');
    await session.close();
  });

  it('does not include idle time', async () => {
    const session = sandbox.open(THREE_STEP_MODULE);
    expect((await session.configuration()).outcome).toBe('done');
    vi.advanceTimersByTime(2 * GENEROUS_TIME_LIMIT_MS);
    expect((await session.configuration()).outcome).toBe('done');
    await session.close();
  });

  it('does not include the start of the process, which has its own limit', async () => {
    const slowSession = sandbox.open(THREE_STEP_MODULE, { timeoutMs: 60_000 });
    vi.advanceTimersByTime(100_000);
    expect((await slowSession.configuration()).outcome).toBe('done');
    await slowSession.close();
    const hangingSession = sandbox.open(THREE_STEP_MODULE);
    vi.advanceTimersByTime(120_000);
    expect(outputOf(await hangingSession.configuration())).toBe('crashed: the sandbox did not start in time');
    await hangingSession.close();
  });
});

describe('an interrupted session', () => {
  it('ends with the outcome "crashed" if its process is killed', async () => {
    const session = sandbox.open(ENDLESS);
    const step = session.process('{}');
    const [pid = 0] = await waitUntilRunning(1);
    process.kill(pid, 'SIGKILL');
    expect(outputOf(await step)).toBe('crashed: the sandbox exited unexpectedly (SIGKILL)');
    await session.close();
    expect(isAlive(pid)).toBe(false);
  });

  it('ends with the outcome "crashed" when the server stops', async () => {
    const stop = new AbortController();
    const session = sandbox.open(ENDLESS, {}, stop.signal);
    const step = session.process('{}');
    const pids = await waitUntilRunning(1);
    stop.abort();
    expect(outputOf(await step)).toMatch(/^crashed: .*stopping/);
    await session.close();
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('does not start once the server is stopping', async () => {
    const session = sandbox.open(THREE_STEP_MODULE, {}, AbortSignal.abort());
    expect(outputOf(await session.configuration())).toMatch(/^crashed: .*stopping/);
    expect(livePidsIn()).toEqual([]);
    await session.close();
  });

  it('ends immediately when it is closed during a step', async () => {
    const session = sandbox.open(ENDLESS);
    const step = session.process('{}');
    const pids = await waitUntilRunning(1);
    await session.close();
    expect((await step).outcome).toBe('crashed');
    expect(pids.filter(isAlive)).toEqual([]);
  });

  it('ends with its host, which removes the files of the session', async () => {
    const otherSandbox = createTestSandbox();
    const steps = [otherSandbox.open(ENDLESS).process('{}'), otherSandbox.open(ENDLESS).process('{}')];
    const pids = await waitUntilRunning(2, otherSandbox.runsFolder);
    await otherSandbox.host.close();
    expect((await Promise.all(steps)).map(({ outcome }) => outcome)).toEqual(['crashed', 'crashed']);
    expect(pids.filter(isAlive)).toEqual([]);
    expect(readdirSync(otherSandbox.runsFolder)).toEqual([]);
    await otherSandbox.close();
  });
});
