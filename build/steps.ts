import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';

/** One command of the whole check. */
export type Step = {
  readonly name: string;
  /** Arguments for Node: a script and what it takes. Scripts, not the shims in `.bin`, which Windows can only start through a shell. */
  readonly args: readonly string[];
  /** Names of steps that must have passed before. */
  readonly needs: readonly string[];
  /** True for a step that itself uses all processors: nothing runs beside it. */
  readonly alone: boolean;
};

export type StepResult = {
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'not run';
  readonly milliseconds: number;
  /** Both streams as they came, without colours (some tools send them on a build machine, asked or not); for a step that was not run, the reason. */
  readonly output: string;
};

const AT_MOST_AT_ONCE = 2;
/** A step that is not done by then hangs, and a hanging check tells nobody anything. */
const STEP_DEADLINE_MS = 20 * 60_000;
/** How long a step that was asked to end may take before it is killed. */
const END_GRACE_MS = 3_000;
/** Enough for any report; a step that prints for ever must not take the memory with it. The end is kept, where the verdict is. */
const MAX_OUTPUT_CHARS = 4_000_000;

export type StepRun = {
  readonly results: Promise<readonly StepResult[]>;
  /** Ends what runs, starts nothing more; `results` then settles with what there is. */
  close(): void;
};

/**
 * Runs steps in the order given, two at a time where they allow it. A step whose need failed or was not run is not run and counts as such;
 * a need that was not chosen at all counts as met.
 */
export function runSteps(
  steps: readonly Step[],
  options: { readonly cwd: string; readonly onDone: (result: StepResult) => void; readonly deadlineMs?: number },
): StepRun {
  const chosen = new Set(steps.map(({ name }) => name));
  const done = new Map<string, StepResult>();
  const running = new Map<Step, { end(): void }>();
  let closed = false;
  const { promise, resolve } = Promise.withResolvers<readonly StepResult[]>();

  const finish = (result: StepResult): void => {
    done.set(result.name, result);
    options.onDone(result);
  };

  const advance = (): void => {
    for (const step of steps) {
      if (done.has(step.name) || running.has(step)) continue;
      const needs = step.needs.filter((name) => chosen.has(name));
      const missing = needs.find((name) => done.has(name) && done.get(name)?.outcome !== 'passed');
      if (closed || missing !== undefined) {
        finish({
          name: step.name,
          outcome: 'not run',
          milliseconds: 0,
          output: closed ? 'interrupted' : `needs "${missing}", which did not pass`,
        });
        continue;
      }
      if (needs.some((name) => !done.has(name))) continue;
      const free = step.alone
        ? running.size === 0
        : running.size < AT_MOST_AT_ONCE && ![...running.keys()].some(({ alone }) => alone);
      // Keeping to the order: a later small step must not push a waiting big one back for ever.
      if (!free) break;
      const child = startStep(step, options.cwd, options.deadlineMs ?? STEP_DEADLINE_MS);
      running.set(step, child);
      void child.result.then((result) => {
        running.delete(step);
        finish(result);
        advance();
      });
    }
    if (done.size === steps.length) resolve(steps.flatMap(({ name }) => done.get(name) ?? []));
  };
  advance();

  return {
    results: promise,
    close() {
      closed = true;
      for (const child of running.values()) child.end();
      advance();
    },
  };
}

function startStep(step: Step, cwd: string, deadlineMs: number): { readonly result: Promise<StepResult>; end(): void } {
  const started = performance.now();
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
    add(`\nstill running after ${Math.round(deadlineMs / 1000)} s: ended`);
    end();
  }, deadlineMs);

  const { promise, resolve } = Promise.withResolvers<StepResult>();
  const finish = (outcome: 'passed' | 'failed'): void => {
    clearTimeout(deadline);
    clearTimeout(killTimer);
    resolve({
      name: step.name,
      outcome,
      milliseconds: performance.now() - started,
      output: stripVTControlCharacters(output).trim(),
    });
  };
  child.on('error', (error) => {
    add(error.message);
    finish('failed');
  });
  child.on('close', (code) => finish(code === 0 ? 'passed' : 'failed'));
  return { result: promise, end };
}

/** One line of the table: outcome, name, seconds. */
export function sayRow({ name, outcome, milliseconds }: StepResult, width: number): string {
  const seconds = outcome === 'not run' ? '' : `${(milliseconds / 1000).toFixed(1)} s`;
  return `  ${outcome.padEnd(7)}  ${name.padEnd(width)}  ${seconds.padStart(8)}`.trimEnd();
}
