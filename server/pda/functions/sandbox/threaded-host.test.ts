import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLog } from '../../../platform/log.ts';
import type { FunctionTarget } from '../runs/function-host.ts';
import { createThreadedHost, type ThreadedHost } from './threaded-host.ts';

const REQUEST = JSON.stringify({ functionConfiguration: {}, request: { data: { all: [] } } });

let folder: string;
let runsFolder: string;
let host: ThreadedHost;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'pda threaded ')));
  runsFolder = join(folder, 'runs');
  host = createThreadedHost({ folder: runsFolder, log: silentLog() });
});

afterEach(async () => {
  await host.close();
  rmSync(folder, { recursive: true, force: true });
});

const createTarget = (code: string): FunctionTarget => {
  const location = join(folder, 'function.mjs');
  writeFileSync(location, code);
  return { id: 'test', version: '1.0.0', memoryMb: 128, timeoutMs: 600_000, location };
};

const listLeftovers = (): string[] => (existsSync(runsFolder) ? readdirSync(runsFolder) : []);

describe('a host in a worker thread', () => {
  it('runs each step and reports resource usage', async () => {
    const session = host.open(
      createTarget(`
        export const configuration = () => ({ id: 'test' });
        export const dataBundle = ({ untilDate }) => ({ untilDate });
        export const process = () => { console.log('here'); return [1]; };`),
    );
    expect(await session.configuration()).toStrictEqual({ outcome: 'done', text: '{"id":"test"}' });
    expect(await session.dataBundle({ untilDate: 'now' })).toStrictEqual({
      outcome: 'done',
      text: '{"untilDate":"now"}',
    });
    expect(await session.process(REQUEST)).toStrictEqual({ outcome: 'done', text: '[1]' });
    const report = await session.close();
    expect(report.log).toStrictEqual(['here']);
    expect(report.peakMemoryBytes).toBeGreaterThan(10_000_000);
    expect(await session.close()).toStrictEqual(report);
    await expect.poll(listLeftovers).toStrictEqual([]);
  });

  it('reports why it could not start', async () => {
    writeFileSync(join(folder, 'runs'), 'a file instead of a folder');
    const session = host.open(createTarget('export const process = () => [1];'));
    const expectedStep = { outcome: 'crashed', message: expect.stringContaining('EEXIST') };
    expect(await session.process(REQUEST)).toStrictEqual(expectedStep);
    expect(await session.process(REQUEST)).toStrictEqual(expectedStep);
    await session.close();
  });

  it('cancels a run on request, including one that has not started', async () => {
    const stop = new AbortController();
    const endlessTarget = createTarget('export const process = () => { for (;;); };');
    const session = host.open(endlessTarget, stop.signal);
    const step = session.process(REQUEST);
    stop.abort();
    expect((await step).outcome).toBe('crashed');
    await session.close();
    const abortedSession = host.open(endlessTarget, stop.signal);
    expect((await abortedSession.process(REQUEST)).outcome).toBe('crashed');
    await abortedSession.close();
  });

  it('ends its runs when it is closed and rejects new ones', async () => {
    const session = host.open(createTarget('export const process = () => { for (;;); };'));
    const step = session.process(REQUEST);
    await host.close();
    expect((await step).outcome).toBe('crashed');
    expect(listLeftovers()).toStrictEqual([]);
    const refusedSession = host.open(createTarget('export const process = () => [1];'));
    expect((await refusedSession.process(REQUEST)).outcome).toBe('crashed');
    await refusedSession.close();
  });
});
