import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readPlaywrightReport, readVitestReport, formatSummaries, summarise, type SkipRule } from './test-reports.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reports-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const reportWith = (content: unknown): string => {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(content));
  return file;
};

describe('reports of the test tools', () => {
  it('are read from Vitest with titles and outcomes', () => {
    const test = (title: string, status: string) => ({ ancestorTitles: ['a disk'], title, status });
    const report = reportWith({
      testResults: [
        {
          name: '/project/tests/a.test.ts',
          assertionResults: [test('is full', 'passed'), test('is gone', 'failed'), test('is slow', 'pending')],
        },
      ],
    });
    expect(readVitestReport(report, '/project')).toEqual([
      { title: 'tests/a.test.ts › a disk › is full', outcome: 'passed' },
      { title: 'tests/a.test.ts › a disk › is gone', outcome: 'failed' },
      { title: 'tests/a.test.ts › a disk › is slow', outcome: 'skipped' },
    ]);
  });

  it('are read from Playwright with nested suites and retried tests', () => {
    const spec = (title: string, status: string) => ({ title, tests: [{ status }] });
    const innerSuite = { title: 'the page', specs: [spec('opens', 'flaky'), spec('closes', 'skipped')] };
    const report = reportWith({
      suites: [{ title: 'a.spec.ts', specs: [spec('loads', 'expected')], suites: [innerSuite] }],
    });
    expect(readPlaywrightReport(report, 'tests/browser')).toEqual([
      { title: 'tests/browser/a.spec.ts › loads', outcome: 'passed' },
      { title: 'tests/browser/a.spec.ts › the page › opens', outcome: 'flaky' },
      { title: 'tests/browser/a.spec.ts › the page › closes', outcome: 'skipped' },
    ]);
  });
});

describe('the summary table', () => {
  const DISK: SkipRule = { title: /^a › /u, reason: 'no disk' };
  const LONG: SkipRule = { title: /^b › /u, reason: 'takes hours' };
  const rules = { skipped: [DISK], leftOut: [LONG] };
  const skipped = (title: string) => ({ title, outcome: 'skipped' }) as const;

  it('counts skipped tests by rule and lists those without a rule', () => {
    const summary = summarise(
      [
        { title: 'c', outcome: 'passed' },
        skipped('a › one'),
        skipped('b › one'),
        skipped('b › two'),
        skipped('d › one'),
      ],
      rules,
    );
    expect(summary).toEqual({
      passed: 1,
      failed: 0,
      flaky: [],
      skipped: new Map([[DISK, 1]]),
      leftOut: new Map([[LONG, 2]]),
      unlisted: ['d › one'],
    });
  });

  it('lists tests that passed only on a retry, and counts more than two of them as failed', () => {
    const flaky = ['c', 'd', 'e'].map((title) => ({ title, outcome: 'flaky' }) as const);
    const accepted = summarise(flaky.slice(1), rules);
    expect(accepted).toMatchObject({ passed: 2, failed: 0 });
    expect(formatSummaries([['browser', accepted]])).toContain(
      'Passed only on a retry (at most 2 in a step):\n  d\n  e\n',
    );
    expect(summarise(flaky, rules)).toMatchObject({ passed: 0, failed: 3, flaky: ['c', 'd', 'e'] });
  });

  it('has a row for each step, the reasons for skipped tests, and a line of totals', () => {
    const types = summarise([{ title: 'types', outcome: 'failed' }], rules);
    const tests = summarise(
      [{ title: 'c', outcome: 'passed' }, skipped('a › one'), skipped('b › one'), skipped('d')],
      rules,
    );
    expect(
      formatSummaries([
        ['types', types],
        ['tests', tests],
      ]),
    ).toBe(`           passed    failed   skipped  left out
  types         0         1         0         0
  tests         1         0         2         1

Skipped on this machine:
     1  no disk

Left out (see npm run test:long):
     1  takes hours

Skipped without a reason in tests/skips.ts:
  d

1 passed, 1 failed, 2 skipped, 1 left out`);
  });
});
