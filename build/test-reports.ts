import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { z } from 'zod';

export type TestCase = {
  /** File, describe blocks and test, such as `tests/move.test.ts › a damaged archive › is refused`. */
  readonly title: string;
  /** `flaky`: failed at first and passed when it was retried. */
  readonly outcome: 'passed' | 'flaky' | 'failed' | 'skipped';
};

const titleOf = (parts: readonly string[]): string => parts.filter((segment) => segment !== '').join(' › ');

const vitestSchema = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      assertionResults: z.array(
        z.object({ ancestorTitles: z.array(z.string()), title: z.string(), status: z.string() }),
      ),
    }),
  ),
});

export function readVitestReport(file: string, root: string): readonly TestCase[] {
  const { testResults } = vitestSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ ancestorTitles, title, status }) => ({
      title: titleOf([relative(root, name).replaceAll('\\', '/'), ...ancestorTitles, title]),
      // Other states are skipped, pending, todo and disabled: the test did not run.
      outcome: status === 'passed' || status === 'failed' ? status : 'skipped',
    })),
  );
}

type PlaywrightSuite = {
  readonly title: string;
  readonly specs: readonly { title: string; tests: readonly { status: string }[] }[];
  readonly suites?: readonly PlaywrightSuite[] | undefined;
};
const playwrightSuiteSchema: z.ZodType<PlaywrightSuite> = z.object({
  title: z.string(),
  specs: z.array(z.object({ title: z.string(), tests: z.array(z.object({ status: z.string() })) })),
  suites: z.array(z.lazy(() => playwrightSuiteSchema)).optional(),
});
const playwrightSchema = z.object({ suites: z.array(playwrightSuiteSchema) });

const PLAYWRIGHT_OUTCOMES: Readonly<Record<string, TestCase['outcome']>> = {
  expected: 'passed',
  flaky: 'flaky',
  skipped: 'skipped',
};

export function readPlaywrightReport(file: string, folder: string): readonly TestCase[] {
  const casesOf = (suite: PlaywrightSuite, parents: readonly string[]): TestCase[] => [
    ...suite.specs.flatMap((spec) =>
      spec.tests.map(({ status }) => ({
        title: titleOf([...parents, suite.title, spec.title]),
        outcome: PLAYWRIGHT_OUTCOMES[status] ?? ('failed' as const),
      })),
    ),
    ...(suite.suites ?? []).flatMap((inner) => casesOf(inner, [...parents, suite.title])),
  ];
  const { suites } = playwrightSchema.parse(JSON.parse(readFileSync(file, 'utf8')));
  return suites.flatMap((suite) => casesOf({ ...suite, title: `${folder}/${suite.title}` }, []));
}

export type SkipRule = { readonly title: RegExp; readonly reason: string };

export type Summary = {
  readonly passed: number;
  readonly failed: number;
  /** Titles of passed tests that failed at first. If there are more than `FLAKY_MAX`, they count as failed. */
  readonly flaky: readonly string[];
  /** Number of tests that this machine cannot run, by their rule. */
  readonly skipped: ReadonlyMap<SkipRule, number>;
  /** Number of tests that `npm test` leaves out, by their rule. */
  readonly leftOut: ReadonlyMap<SkipRule, number>;
  /** Titles of skipped tests without a rule. */
  readonly unlisted: readonly string[];
};

/** Number of tests per step that may pass only on a retry. A larger number indicates a fault in the project. */
const FLAKY_MAX = 2;

export function summarise(
  cases: readonly TestCase[],
  rules: { readonly skipped: readonly SkipRule[]; readonly leftOut: readonly SkipRule[] },
): Summary {
  const count = (outcome: TestCase['outcome']): number => cases.filter((test) => test.outcome === outcome).length;
  const skipped = new Map<SkipRule, number>();
  const leftOut = new Map<SkipRule, number>();
  const unlisted: string[] = [];
  for (const { title, outcome } of cases) {
    if (outcome !== 'skipped') continue;
    const matches = (rule: SkipRule): boolean => rule.title.test(title);
    const leftOutRule = rules.leftOut.find(matches);
    const skipRule = rules.skipped.find(matches);
    if (leftOutRule !== undefined) leftOut.set(leftOutRule, (leftOut.get(leftOutRule) ?? 0) + 1);
    else if (skipRule !== undefined) skipped.set(skipRule, (skipped.get(skipRule) ?? 0) + 1);
    else unlisted.push(title);
  }
  const flaky = cases.filter(({ outcome }) => outcome === 'flaky').map(({ title }) => title);
  const isTooFlaky = flaky.length > FLAKY_MAX;
  return {
    passed: count('passed') + (isTooFlaky ? 0 : flaky.length),
    failed: count('failed') + (isTooFlaky ? flaky.length : 0),
    flaky,
    skipped,
    leftOut,
    unlisted,
  };
}

const sum = (counts: Iterable<number>): number => [...counts].reduce((total, number) => total + number, 0);

const numbersOf = ({ passed, failed, skipped, leftOut, unlisted }: Summary): readonly number[] => [
  passed,
  failed,
  sum(skipped.values()) + unlisted.length,
  sum(leftOut.values()),
];

const formatTitles = (heading: string, titles: readonly string[]): string[] =>
  titles.length === 0 ? [] : ['', heading, ...titles.map((title) => `  ${title}`)];

const formatReasons = (heading: string, countsByStep: readonly ReadonlyMap<SkipRule, number>[]): string[] => {
  const lines = countsByStep.flatMap((counts) =>
    [...counts].map(([{ reason }, count]) => `  ${String(count).padStart(4)}  ${reason}`),
  );
  return lines.length === 0 ? [] : ['', heading, ...lines];
};

export function formatSummaries(summaries: readonly (readonly [step: string, summary: Summary])[]): string {
  const columns = ['passed', 'failed', 'skipped', 'left out'];
  const width = Math.max(...summaries.map(([step]) => step.length));
  const row = (name: string, cells: readonly (string | number)[]): string =>
    `  ${name.padEnd(width)}${cells.map((cell) => `  ${String(cell).padStart(8)}`).join('')}`;
  const rows = summaries.map(([step, summary]) => row(step, numbersOf(summary)));
  const allSummaries = summaries.map(([, summary]) => summary);
  const totals = columns.map(
    (column, columnIndex) => `${sum(allSummaries.map((summary) => numbersOf(summary)[columnIndex] ?? 0))} ${column}`,
  );
  return [
    row('', columns),
    ...rows,
    ...formatReasons(
      'Skipped on this machine:',
      allSummaries.map(({ skipped }) => skipped),
    ),
    ...formatReasons(
      'Left out (see npm run test:long):',
      allSummaries.map(({ leftOut }) => leftOut),
    ),
    ...formatTitles(
      `Passed only on a retry (at most ${FLAKY_MAX} in a step):`,
      allSummaries.flatMap(({ flaky }) => flaky),
    ),
    ...formatTitles(
      'Skipped without a reason in tests/skips.ts:',
      allSummaries.flatMap(({ unlisted }) => unlisted),
    ),
    '',
    totals.join(', '),
  ].join('\n');
}
