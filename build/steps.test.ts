import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chooseSteps } from './check.ts';
import { runSteps, formatRow, type Step, type StepResult } from './steps.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steps-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const step = (name: string, code: string, overrides: Partial<Step> = {}): Step => ({
  name,
  args: ['--input-type=module', '-e', code],
  needs: [],
  isExclusive: false,
  ...overrides,
});

const run = async (steps: readonly Step[], deadlineMs?: number) => {
  const rows: StepResult[] = [];
  const options = { cwd: folder, onDone: (result: StepResult) => void rows.push(result) };
  const results = await runSteps(steps, deadlineMs === undefined ? options : { ...options, deadlineMs }).results;
  expect(rows).toHaveLength(results.length);
  return results;
};

const formatOutcomes = (results: readonly StepResult[]) => results.map(({ name, outcome }) => `${name} ${outcome}`);

/** Returns code that creates a file `name` and then waits for the files `otherNames`. Fails if they do not appear. */
const waitForOthers = (name: string, otherNames: readonly string[]) => `
  import { existsSync, writeFileSync } from 'node:fs';
  import { setTimeout } from 'node:timers/promises';
  writeFileSync('${name}', '');
  const deadline = Date.now() + 120_000;
  while (!${JSON.stringify(otherNames)}.every((name) => existsSync(name))) {
    if (Date.now() > deadline) process.exit(1);
    await setTimeout(10);
  }`;

/** Code that starts a process, which holds the output open and does not end by itself. Writes its id to `child`. */
const CHILD_LEAVING_CODE = `
  import { spawn } from 'node:child_process';
  import { writeFileSync } from 'node:fs';
  const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'inherit' });
  writeFileSync('child', String(pid));
  console.log('done');
  process.exit();`;

describe('runSteps', () => {
  it('collects both output streams and takes the outcome from the exit code', async () => {
    const [passing, failing] = await run([
      step('good', `console.log('fine')`),
      step('bad', `console.log('this'); console.error('and that'); process.exitCode = 3`),
    ]);
    expect(passing).toMatchObject({ outcome: 'passed', output: 'fine' });
    expect(failing?.outcome).toBe('failed');
    expect(failing?.output).toContain('this');
    expect(failing?.output).toContain('and that');
  });

  it('strips colours from the output', async () => {
    const [coloured] = await run([
      step('coloured', String.raw`console.log('\x1b[31mred\x1b[0m \x1b[38;2;1;2;3mtrue\x1b[0m')`),
    ]);
    expect(coloured?.output).toBe('red true');
  });

  it('runs two steps at a time', async () => {
    expect(
      formatOutcomes(await run([step('a', waitForOthers('a', ['b'])), step('b', waitForOthers('b', ['a']))])),
    ).toEqual(['a passed', 'b passed']);
  });

  it('never runs three steps at a time', async () => {
    const failAboveTwoFiles = (name: string) => `
      import { readdirSync, rmSync, writeFileSync } from 'node:fs';
      import { setTimeout } from 'node:timers/promises';
      writeFileSync('${name}', '');
      if (readdirSync('.').length > 2) process.exitCode = 1;
      await setTimeout(50);
      rmSync('${name}');`;
    const results = await run(['a', 'b', 'c', 'd', 'e'].map((name) => step(name, failAboveTwoFiles(name))));
    expect(results.every(({ outcome }) => outcome === 'passed')).toBe(true);
  });

  it('runs an exclusive step alone', async () => {
    const countFiles = `import { readdirSync } from 'node:fs'; process.exitCode = readdirSync('.').length`;
    const holdFileBriefly = (name: string) => `
      import { rmSync, writeFileSync } from 'node:fs';
      import { setTimeout } from 'node:timers/promises';
      writeFileSync('${name}', ''); await setTimeout(50); rmSync('${name}');`;
    const steps = [
      step('a', holdFileBriefly('a')),
      step('b', holdFileBriefly('b')),
      step('exclusive', countFiles, { isExclusive: true }),
      step('c', holdFileBriefly('c')),
    ];
    expect(formatOutcomes(await run(steps))).toContain('exclusive passed');
  });

  it('does not run a step whose dependency failed or was not run', async () => {
    const results = await run([
      step('build', `process.exitCode = 1`),
      step('browser', `console.log('never')`, { needs: ['build'] }),
      step('after', `console.log('never')`, { needs: ['browser'] }),
    ]);
    expect(formatOutcomes(results)).toEqual(['build failed', 'browser not run', 'after not run']);
    expect(results[1]?.output).toBe('needs "build", which did not pass');
  });

  it('runs a step whose dependency was not selected', async () => {
    expect(formatOutcomes(await run([step('browser', '', { needs: ['build'] })]))).toEqual(['browser passed']);
  });

  it('kills a hanging step and reports it', async () => {
    const [hung] = await run([step('hung', `setInterval(() => {}, 1000)`)], 300);
    expect(hung?.outcome).toBe('failed');
    expect(hung?.output).toContain('still running after');
  });

  it('ends all steps when interrupted and starts no more', async () => {
    const rows: StepResult[] = [];
    const endlessCode = `import { writeFileSync } from 'node:fs'; writeFileSync('up', ''); setInterval(() => {}, 1000)`;
    const stepRun = runSteps([step('a', endlessCode, { isExclusive: true }), step('b', '', { isExclusive: true })], {
      cwd: folder,
      onDone: (result) => void rows.push(result),
    });
    await expect.poll(() => existsSync(join(folder, 'up'))).toBe(true);
    stepRun.close();
    expect(formatOutcomes(await stepRun.results)).toEqual(['a failed', 'b not run']);
  });

  it('does not wait for a process that a step left behind, even if it holds the output open', async () => {
    try {
      const [leaving] = await run([step('leaving', CHILD_LEAVING_CODE)]);
      expect(leaving).toMatchObject({ outcome: 'passed', output: 'done' });
    } finally {
      process.kill(Number(readFileSync(join(folder, 'child'), 'utf8')), 'SIGKILL');
    }
  });
});

describe('formatRow', () => {
  it('aligns the columns', () => {
    expect(formatRow({ name: 'types', outcome: 'passed', milliseconds: 1234, output: '' }, 9)).toBe(
      '  passed   types         1.2 s',
    );
    expect(formatRow({ name: 'browser', outcome: 'not run', milliseconds: 0, output: '' }, 9)).toBe(
      '  not run  browser',
    );
  });
});

describe('chooseSteps', () => {
  it('selects all steps without --only, otherwise the named ones in the usual order', () => {
    expect(chooseSteps(undefined).map(({ name }) => name)).toEqual([
      'types',
      'lint',
      'format',
      'walls',
      'prose',
      'dashboard',
      'operator-page',
      'tests',
      'browser',
    ]);
    expect(chooseSteps('walls, types').map(({ name }) => name)).toEqual(['types', 'walls']);
  });

  it('rejects an unknown name', () => {
    expect(() => chooseSteps('lint,typos')).toThrow('unknown check "typos"');
  });
});
