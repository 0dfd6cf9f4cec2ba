import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { messageOf } from '../server/wire/values.ts';
import { createMemoryFolder } from './memory-folder.ts';
import { runSteps, formatRow, type Step, type StepResult } from './steps.ts';
import {
  readPlaywrightReport,
  readVitestReport,
  formatSummaries,
  summarise,
  type Summary,
  type TestCase,
} from './test-reports.ts';
import { OMITTED_TESTS, ALLOWED_SKIPS } from '../tests/skips.ts';

const ROOT = dirname(import.meta.dirname);
const tool = (path: string): string => join(ROOT, 'node_modules', path);
const reportOf = (step: string): string => join(ROOT, 'node_modules/.cache/test-reports', `${step}.json`);

/** The tests come last, because they take longest. */
const STEPS: readonly Step[] = [
  // Several checkers infer shared types several times: four of them use more than twice the CPU time of one.
  { name: 'types', args: [tool('typescript/bin/tsc'), '--noEmit', '--checkers', '1'] },
  { name: 'lint', args: [tool('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'] },
  { name: 'format', args: [tool('oxfmt/bin/oxfmt'), '--check'] },
  { name: 'walls', args: [join(ROOT, 'build/walls.ts')] },
  { name: 'prose', args: [join(ROOT, 'build/prose.ts')] },
  { name: 'dashboard', args: [tool('vite/bin/vite.js'), 'build', 'renderer/dashboard'] },
  { name: 'operator-page', args: [tool('vite/bin/vite.js'), 'build', 'renderer/operator'] },
  // The two test steps start their own workers, and some of their tests measure time, so each step runs exclusively.
  {
    name: 'tests',
    args: [
      tool('vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reportOf('tests')}`,
    ],
    isExclusive: true,
  },
  {
    name: 'browser',
    args: [tool('@playwright/test/cli.js'), 'test', '--reporter=list,json'],
    needs: ['dashboard', 'operator-page'],
    isExclusive: true,
  },
];

const HELP = `npm test [-- --only NAMES]

Runs the checks, and the tests except those that only npm run test:long runs.
NAMES: comma-separated, from ${STEPS.map(({ name }) => name).join(', ')}.`;

/** Returns the named steps in their usual order; all for `undefined`. @throws {RangeError} with the unknown name */
export function chooseSteps(only: string | undefined): readonly Step[] {
  if (only === undefined) return STEPS;
  const names = only.split(',').map((name) => name.trim());
  const unknownName = names.find((name) => !STEPS.some((step) => step.name === name));
  if (unknownName !== undefined)
    throw new RangeError(`unknown check "${unknownName}"; choose from ${STEPS.map(({ name }) => name).join(', ')}`);
  return STEPS.filter(({ name }) => names.includes(name));
}

const REPORT_READERS: Readonly<Record<string, (file: string) => readonly TestCase[]>> = {
  tests: (file) => readVitestReport(file, ROOT),
  browser: (file) => readPlaywrightReport(file, 'tests/browser'),
};

/** A step without tests counts as one test. */
function summaryOf({ name, outcome }: StepResult): Summary {
  const isPassed = outcome === 'passed';
  const readReport = REPORT_READERS[name];
  const file = reportOf(name);
  const cases: readonly TestCase[] =
    readReport === undefined || !existsSync(file)
      ? // A test tool that succeeds without a report may have skipped tests.
        [{ title: name, outcome: isPassed && readReport === undefined ? 'passed' : 'failed' }]
      : readReport(file);
  const summary = summarise(cases, { skipped: ALLOWED_SKIPS, leftOut: OMITTED_TESTS });
  // A file that fails to load, or an error outside of tests, can fail a step in which no test failed.
  return isPassed || summary.failed > 0 ? summary : { ...summary, failed: 1 };
}

/**
 * Runs the selected steps and returns the exit code: 0 success, 1 a step failed or a test was skipped without a reason
 * in tests/skips.ts, 2 wrong arguments.
 */
async function main(): Promise<number> {
  let steps: readonly Step[];
  try {
    const { values } = parseArgs({ options: { only: { type: 'string' }, help: { type: 'boolean' } } });
    if (values.help === true) {
      console.log(HELP);
      return 0;
    }
    steps = chooseSteps(values.only);
  } catch (cause) {
    console.error(messageOf(cause));
    return 2;
  }

  // The folder is removed at the end, with everything that tests left in it.
  const temporaryFolder = createMemoryFolder();
  if (temporaryFolder !== undefined) process.env['TMPDIR'] = temporaryFolder.path;
  for (const { name } of steps) rmSync(reportOf(name), { force: true });
  process.env['PLAYWRIGHT_JSON_OUTPUT_FILE'] = reportOf('browser');
  const width = Math.max(...steps.map(({ name }) => name.length));
  const run = runSteps(steps, { cwd: ROOT, onDone: (result) => console.log(formatRow(result, width)) });
  const interrupt = (): void => run.close();
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt);
  const results = await run.results;
  process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  temporaryFolder?.remove();

  for (const { name, outcome, output } of results) {
    if (outcome !== 'passed') console.log(`\n── ${name}: ${outcome} ${'─'.repeat(60)}\n${output}`);
  }
  const summaries = results.map((result) => [result.name, summaryOf(result)] as const);
  console.log(`\n${formatSummaries(summaries)}`);
  return summaries.every(([, { failed, unlisted }]) => failed === 0 && unlisted.length === 0) ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main();
