import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

export type Step = {
  readonly name: string;
  /** Arguments for Node: a script and its arguments. The shims in `.bin` would need a shell on Windows. */
  readonly args: readonly string[];
  /** Steps that must pass first; default: none. */
  readonly needs?: readonly string[];
  /** True for a step that uses all CPUs. No other step runs at the same time. */
  readonly isExclusive?: boolean;
};

export type StepResult = {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'not run';
  readonly milliseconds: number;
  /** Interleaved stdout and stderr without colour codes. For a step that was not run, the reason. */
  readonly output: string;
};

const MAX_CONCURRENT_STEPS = 2;
const STEP_DEADLINE_MS = 40 * 60_000;
const END_GRACE_MS = 3_000;
/** Time for which a process that a step has started may hold the output open after the exit of the step. */
const OUTPUT_GRACE_MS = 3_000;
/** The end of the output is kept, because tools print their result last. */
const MAX_OUTPUT_CHARS = 4_000_000;

export type StepRun = {
  readonly results: Promise<readonly StepResult[]>;
  /** Ends running steps and starts no more. Steps that have not started get the outcome `not run`. */
  close(): void;
};

/**
 * Runs steps in order, up to two at a time unless a step is exclusive. A step is not run if one of its needs did not
 * pass. Needs that were not selected count as met.
 */
export function runSteps(
  steps: readonly Step[],
  options: { readonly cwd: string; readonly onDone: (result: StepResult) => void; readonly deadlineMs?: number },
): StepRun {
  const selectedNames = new Set(steps.map(({ name }) => name));
  const results = new Map<string, StepResult>();
  const runningSteps = new Map<Step, { end(): void }>();
  let isClosed = false;
  const { promise, resolve } = Promise.withResolvers<readonly StepResult[]>();

  const finish = (result: StepResult): void => {
    results.set(result.name, result);
    options.onDone(result);
  };

  const advance = (): void => {
    for (const step of steps) {
      if (results.has(step.name) || runningSteps.has(step)) continue;
      const needs = (step.needs ?? []).filter((name) => selectedNames.has(name));
      const unmetNeed = needs.find((name) => results.has(name) && results.get(name)?.outcome !== 'passed');
      if (isClosed || unmetNeed !== undefined) {
        finish({
          name: step.name,
          outcome: 'not run',
          milliseconds: 0,
          output: isClosed ? 'interrupted' : `needs "${unmetNeed}", which did not pass`,
        });
        continue;
      }
      if (needs.some((name) => !results.has(name))) continue;
      const canStart =
        step.isExclusive === true
          ? runningSteps.size === 0
          : runningSteps.size < MAX_CONCURRENT_STEPS &&
            ![...runningSteps.keys()].some(({ isExclusive }) => isExclusive);
      // Keeps the order, so that later steps cannot delay an exclusive step forever.
      if (!canStart) break;
      const child = startStep(step, options.cwd, options.deadlineMs ?? STEP_DEADLINE_MS);
      runningSteps.set(step, child);
      void child.result.then((result) => {
        runningSteps.delete(step);
        finish(result);
        advance();
      });
    }
    if (results.size === steps.length) resolve(steps.flatMap(({ name }) => results.get(name) ?? []));
  };
  advance();

  return {
    results: promise,
    close() {
      isClosed = true;
      for (const child of runningSteps.values()) child.end();
      advance();
    },
  };
}

function startStep(step: Step, cwd: string, deadlineMs: number): { readonly result: Promise<StepResult>; end(): void } {
  const startedAt = performance.now();
  const child = spawn(process.execPath, step.args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true });
  let output = '';
  const add = (text: string): void => {
    output = (output + text).slice(-MAX_OUTPUT_CHARS);
  };
  child.stdout.setEncoding('utf8').on('data', add);
  child.stderr.setEncoding('utf8').on('data', add);

  let killTimer: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill('SIGTERM');
    killTimer ??= setTimeout(() => child.kill('SIGKILL'), END_GRACE_MS);
  };
  const deadline = setTimeout(() => {
    add(`\nstill running after ${Math.round(deadlineMs / 1000)} s: killed`);
    end();
  }, deadlineMs);

  const { promise, resolve } = Promise.withResolvers<StepResult>();
  const finish = (outcome: 'passed' | 'failed'): void => {
    clearTimeout(deadline);
    clearTimeout(killTimer);
    clearTimeout(outputTimer);
    resolve({
      name: step.name,
      outcome,
      milliseconds: performance.now() - startedAt,
      output: stripVTControlCharacters(output).trim(),
    });
  };
  child.on('error', (error) => {
    add(error.message);
    finish('failed');
  });
  let outputTimer: NodeJS.Timeout | undefined;
  child.on('exit', () => {
    outputTimer = setTimeout(() => {
      child.stdout.destroy();
      child.stderr.destroy();
    }, OUTPUT_GRACE_MS);
  });
  // `close` follows `exit` once both output streams are closed.
  child.on('close', (code) => finish(code === 0 ? 'passed' : 'failed'));
  return { result: promise, end };
}

export function formatRow({ name, outcome, milliseconds }: StepResult, width: number): string {
  const seconds = outcome === 'not run' ? '' : `${(milliseconds / 1000).toFixed(1)} s`;
  return `  ${outcome.padEnd(7)}  ${name.padEnd(width)}  ${seconds.padStart(8)}`.trimEnd();
}
