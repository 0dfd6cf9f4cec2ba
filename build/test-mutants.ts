import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { z } from 'zod';
import { FAULTS, type Fault } from '../tests/mutants/faults.ts';

// npm run test:mutants [-- --only NAME] [--random COUNT] [--seed NUMBER]
//
// Applies the faults of tests/mutants/faults.ts one at a time to a copy of the source tree and runs the test that must
// detect the fault. Exits with 1 if a fault is not caught: its test does not run, passes with the fault, fails without
// it, or fails without a failed assertion, or the text to replace does not occur exactly once.

const root = dirname(import.meta.dirname);
const TEST_RUN_TIMEOUT_MS = 10 * 60_000;
const MAX_OUTPUT_CHARS = 2_000;

const reportSchema = z.object({
  testResults: z.array(
    z.object({
      assertionResults: z.array(
        z.object({ title: z.string(), status: z.string(), failureMessages: z.array(z.string().nullable()).nullish() }),
      ),
    }),
  ),
});
type TestResult = z.infer<typeof reportSchema>['testResults'][number]['assertionResults'][number];

/** mulberry32: a small seeded generator, so that a random selection can be repeated. */
const seededRandom = (seed: number): (() => number) => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const chooseRandom = (faults: readonly Fault[], count: number, seed: number): Fault[] => {
  const random = seededRandom(seed);
  return faults
    .map((fault) => ({ fault, rank: random() }))
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, count)
    .map(({ fault }) => fault);
};

/** Copies all tracked and new files, so that uncommitted changes are also tested. Links `node_modules`. */
const copyTree = (target: string): void => {
  const listing = spawnSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (listing.status !== 0) throw new Error(`git ls-files failed: ${listing.stderr}`);
  for (const file of listing.stdout.split('\0')) {
    if (file === '' || !existsSync(join(root, file))) continue;
    mkdirSync(dirname(join(target, file)), { recursive: true });
    cpSync(join(root, file), join(target, file));
  }
  symlinkSync(join(root, 'node_modules'), join(target, 'node_modules'));
};

const escapeForRegExp = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);

const runTests = (tree: string, tests: readonly Pick<Fault, 'testFile' | 'test'>[]): TestResult[] | string => {
  const report = join(tree, 'mutants-report.json');
  rmSync(report, { force: true });
  const files = [...new Set(tests.map(({ testFile }) => testFile))];
  const names = [...new Set(tests.map(({ test }) => escapeForRegExp(test)))].join('|');
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      join(tree, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--reporter=json',
      `--outputFile=${report}`,
      '-t',
      names,
      ...files,
    ],
    // Some of the tests run only in thorough runs.
    { cwd: tree, encoding: 'utf8', timeout: TEST_RUN_TIMEOUT_MS, env: { ...process.env, PDA_THOROUGH: '1' } },
  );
  if (!existsSync(report)) return `${stdout}${stderr}`.slice(-MAX_OUTPUT_CHARS);
  return reportSchema
    .parse(JSON.parse(readFileSync(report, 'utf8')))
    .testResults.flatMap(({ assertionResults }) => assertionResults);
};

const hasTitle = (result: TestResult, test: string): boolean => result.title.includes(test);
/** Start of an assertion's message. Vitest reports `expect(…).rejects` and `expect.poll` as plain errors. */
const ASSERTION = /^(?:AssertionError|Error: promise (?:resolved|rejected) |Error: expected )/u;
const hasFailedAssertion = (result: TestResult): boolean =>
  (result.failureMessages ?? []).some((message) => ASSERTION.test(message ?? ''));
const firstLine = (result: TestResult): string => result.failureMessages?.[0]?.split('\n')[0] ?? '';

/**
 * Applies one fault, runs its test and restores the file.
 * @returns undefined if an assertion failed, otherwise the reason why the fault does not count as caught
 */
const tryFault = (tree: string, fault: Fault): string | undefined => {
  const file = join(tree, fault.file);
  const source = readFileSync(file, 'utf8');
  const count = source.split(fault.find).length - 1;
  if (count !== 1) return `stale: the text to replace occurs ${count} times in ${fault.file}`;
  writeFileSync(
    file,
    source.replace(fault.find, () => fault.replace),
  );
  try {
    const results = runTests(tree, [fault]);
    if (typeof results === 'string') return `the tests did not run: ${results}`;
    const matchingResults = results.filter((result) => hasTitle(result, fault.test) && result.status !== 'skipped');
    if (matchingResults.length === 0) return `no test with this title ran in ${fault.testFile}`;
    const failures = matchingResults.filter(({ status }) => status === 'failed');
    if (failures.length === 0) return `survived: "${fault.test}" in ${fault.testFile} passes`;
    if (!failures.some(hasFailedAssertion)) return `failed without an assertion: ${failures.map(firstLine).join('; ')}`;
    return undefined;
  } finally {
    writeFileSync(file, source);
  }
};

const hasProgram = (name: string): boolean => spawnSync(name, ['-V'], { stdio: 'ignore' }).error === undefined;

const chooseFaults = (): readonly Fault[] | undefined => {
  const { values } = parseArgs({
    options: { only: { type: 'string', multiple: true }, random: { type: 'string' }, seed: { type: 'string' } },
  });
  const { only } = values;
  const unknownName = only?.find((name) => !FAULTS.some((fault) => fault.name === name));
  if (unknownName !== undefined) {
    console.error(`unknown fault "${unknownName}"; choose from ${FAULTS.map(({ name }) => name).join(', ')}`);
    return undefined;
  }
  const selectedFaults = only === undefined ? FAULTS : FAULTS.filter(({ name }) => only.includes(name));
  if (values.random === undefined) return selectedFaults;
  const [count, seed] = [Number(values.random), Number(values.seed ?? randomInt(2 ** 31))];
  if (!Number.isSafeInteger(count) || count < 1 || !Number.isSafeInteger(seed)) {
    console.error('--random needs a number of faults, --seed a whole number');
    return undefined;
  }
  console.log(`${count} faults at random: --random ${count} --seed ${seed}`);
  return chooseRandom(selectedFaults, count, seed);
};

const tryFaults = (selectedFaults: readonly Fault[]): number => {
  const missingPrograms = new Set((['strace'] as const).filter((program) => !hasProgram(program)));
  const [runnableFaults, leftOut] = [
    selectedFaults.filter(({ needs = [] }) => !needs.some((program) => missingPrograms.has(program))),
    selectedFaults.filter(({ needs = [] }) => needs.some((program) => missingPrograms.has(program))),
  ];
  for (const { name, needs = [] } of leftOut) console.log(`left out  ${name}: needs ${needs.join(', ')}`);

  const tree = mkdtempSync(join(tmpdir(), 'pda-mutants-'));
  try {
    copyTree(tree);
    const baselineResults = runnableFaults.length === 0 ? [] : runTests(tree, runnableFaults);
    if (typeof baselineResults === 'string') {
      console.error(`The tests did not run without a fault:\n${baselineResults}`);
      return 1;
    }
    let problems = 0;
    for (const fault of runnableFaults) {
      const startedAt = performance.now();
      const baseline = baselineResults.filter((result) => hasTitle(result, fault.test));
      const isBaselinePassed = baseline.some(({ status }) => status === 'passed');
      const baselineFailures = baseline.filter(({ status }) => status === 'failed');
      const problem =
        baselineFailures.length > 0
          ? `the test fails without the fault: ${baselineFailures.map(firstLine).join('; ')}`
          : isBaselinePassed
            ? tryFault(tree, fault)
            : `no test with this title ran in ${fault.testFile}`;
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      console.log(
        problem === undefined ? `caught    ${fault.name} (${seconds} s)` : `NOT CAUGHT  ${fault.name}: ${problem}`,
      );
      if (problem !== undefined) problems += 1;
    }
    const caughtCount = runnableFaults.length - problems;
    console.log(`${caughtCount} of ${runnableFaults.length} faults caught, ${leftOut.length} left out`);
    return problems === 0 ? 0 : 1;
  } finally {
    rmSync(tree, { recursive: true, force: true });
  }
};

const selectedFaults = chooseFaults();
process.exitCode = selectedFaults === undefined ? 2 : tryFaults(selectedFaults);
