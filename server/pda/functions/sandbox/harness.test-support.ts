import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLog } from '../../../platform/log.ts';
import type { FunctionSession, SessionReport, Step } from '../runs/function-host.ts';
import { createSandboxHost, type SandboxHost } from './host.ts';

export type TestRun = { step: Step; report: SessionReport; elapsedMs: number };
export type RunOptions = { memoryMb?: number; timeoutMs?: number; request?: unknown };

/** Time limit for functions that are expected to end by themselves or by another limit, however slow the machine is. */
export const GENEROUS_TIME_LIMIT_MS = 600_000;

export type TestSandbox = {
  host: SandboxHost;
  runsFolder: string;
  open(code: string, options?: RunOptions, signal?: AbortSignal): FunctionSession;
  /** Calls the function `process` of a module with this code once. */
  run(code: string, options?: RunOptions): Promise<TestRun>;
  close(): Promise<void>;
};

export const createTestSandbox = (): TestSandbox => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'pda sandbox ')));
  const runsFolder = join(root, 'runs');
  const host = createSandboxHost({ folder: runsFolder, log: silentLog() });
  mkdirSync(join(root, 'modules'));
  let count = 0;

  const open: TestSandbox['open'] = (code, { memoryMb = 128, timeoutMs = GENEROUS_TIME_LIMIT_MS } = {}, signal) => {
    count += 1;
    const location = join(root, 'modules', `${count}.mjs`);
    writeFileSync(location, code);
    return host.open({ id: 'test', version: '1.0.0', memoryMb, timeoutMs, location }, signal);
  };

  return {
    host,
    runsFolder,
    open,
    async run(code, options = {}) {
      // The confinement is detected first, so that the detection does not count towards the time of the run.
      await host.detectConfinement();
      const startedAt = performance.now();
      const session = open(code, options);
      const step = await session.process(JSON.stringify(options.request ?? { functionConfiguration: {}, request: {} }));
      const elapsedMs = performance.now() - startedAt;
      return { step, report: await session.close(), elapsedMs };
    },
    async close() {
      await host.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
};

export const moduleWithProcess = (body: string): string => `export function process(request) { ${body} }`;

/** Returns the parsed output, or the outcome and message of a failed step. */
export const outputOf = (step: Step): unknown =>
  step.outcome === 'done' ? JSON.parse(step.text) : `${step.outcome}: ${step.message}`;
