import { describe, expect, it } from 'vitest';
import { Problem } from '../../../shared/api/problem.ts';
import { functionItems } from '../home/attention/functions.ts';
import { firstLines } from './dry-run/text-excerpt.ts';
import { findFunctionChanges } from './consent/differences.ts';
import { createBundle, createFunction, createRun } from './example.test-support.ts';
import { previewOf, recordsOf } from './consent/input-preview.ts';
import { triggerText } from './trigger-text.ts';
import { isCycle, runProblemTitle, runStatusOf, outcomeText, describeReads } from './function-text.ts';

const withPlainSpaces = (text: string): string => text.replaceAll(/[\u00A0\u202F]/g, ' ');

describe('trigger texts', () => {
  it.each([
    ['P1D', 'day'],
    ['PT6H', '6 hours'],
    ['PT1M', 'minute'],
    ['P1M', 'month'],
    ['P1DT12H', '1 day and 12 hours'],
    [90_000, '2 minutes'],
    [3_600_000, '60 minutes'],
  ])('describe the period %s as "Every %s, if there is new data"', (period, text) => {
    expect(withPlainSpaces(triggerText({ triggerType: 'periodic', period }))).toBe(
      `Every ${text}, if there is new data`,
    );
  });
});

describe('function run', () => {
  it('is a cycle only if it was stopped and its chain ends with its first function', () => {
    const cycle = { outcome: 'stopped' as const, chain: ['a', 'b', 'a'] };
    expect(isCycle(cycle)).toBe(true);
    expect(outcomeText(cycle)).toContain('loop');
    expect(isCycle({ outcome: 'stopped', chain: ['a'] })).toBe(false);
    expect(isCycle({ outcome: 'done', chain: ['a', 'b', 'a'] })).toBe(false);
  });

  it.each([
    ['running', { outcome: null }],
    ['done', {}],
    ['undone', { undone: '2026-03-02T00:00:00.000Z' }],
    ['stopped', { outcome: 'stopped' as const }],
    ['failed', { outcome: 'memory' as const }],
  ])('has the status %s with the properties %j', (status, change) => {
    expect(runStatusOf(createRun(change))).toBe(status);
  });
});

describe('problem of a run that the owner requested', () => {
  it.each([
    ['Diary did not run', new Problem('wrong_state', 409, 'It is running.')],
    ['Diary failed', new Problem('memory', 502, 'It needs more memory.')],
    ['Diary may have started', new Problem('unreachable', 0, '')],
    ['Diary may have started', new Problem('unreadable', 502, '')],
  ])('has the title "%s"', (title, problem) => {
    expect(runProblemTitle('Diary', problem)).toBe(title);
  });
});

describe('function input description', () => {
  it('states the limit per run if the function reads only new data', () => {
    const bundle = createBundle({ text: 'text' }, 100);
    expect(withPlainSpaces(describeReads(bundle, 'new')[0]?.amount ?? '')).toBe(
      'Every record, existing and new, at most 100 per run',
    );
    expect(withPlainSpaces(describeReads(bundle, 'all')[0]?.amount ?? '')).toContain('Only the oldest 100 records');
  });

  it('states that no records are read if the limit is 0', () => {
    expect(describeReads(createBundle(undefined, 0), 'new')[0]?.amount).toContain('No records');
  });
});

describe('function changes since approval', () => {
  it('list additional data', () => {
    const ownerFunction = createFunction({
      dataBundle: createBundle({ text: 'text', place: 'place' }),
      asksForMore: true,
    });
    expect(findFunctionChanges(ownerFunction)).toEqual([{ kind: 'more', text: 'Place of Entries (diary/entries)' }]);
  });

  it('name a new location, even if something else changes too', () => {
    const remotePlace = { kind: 'elsewhere', host: 'far.example' } as const;
    const moveChange = {
      kind: 'more',
      text: 'It now runs on far.example: all data it reads leaves this PDA and is sent there',
    };
    const movedFunction = createFunction({ place: remotePlace, asksForMore: true });
    expect(findFunctionChanges(movedFunction)).toEqual([moveChange]);
    expect(findFunctionChanges({ ...movedFunction, writes: 'profile/owner' })).toEqual([
      moveChange,
      { kind: 'more', text: 'It now stores its results in profile/owner' },
    ]);
    const { approved } = movedFunction;
    if (approved === null) throw new Error('expected an approval');
    const remoteApproval = { ...approved, place: remotePlace };
    expect(findFunctionChanges({ ...movedFunction, approved: remoteApproval })).toEqual([]);
    const otherHostApproval = { ...approved, place: { ...remotePlace, host: 'near.example' } };
    expect(findFunctionChanges({ ...movedFunction, approved: otherHostApproval })).toEqual([moveChange]);
    expect(findFunctionChanges(createFunction({ approved: remoteApproval }))).toEqual([
      { kind: 'less', text: 'It now runs on this computer, no longer on a remote runner' },
    ]);
  });

  it('name a new endpoint for results', () => {
    expect(findFunctionChanges(createFunction({ writes: 'profile/owner', asksForMore: true }))).toEqual([
      { kind: 'more', text: 'It now stores its results in profile/owner' },
    ]);
  });

  it('mention that the function now runs automatically', () => {
    const ownerFunction = createFunction({ asksForMore: true });
    const { configuration } = ownerFunction;
    if (configuration === null) throw new Error('expected a configuration');
    const updatedFunction = {
      ...ownerFunction,
      configuration: { ...configuration, trigger: { triggerType: 'individual' as const } },
    };
    expect(findFunctionChanges(updatedFunction)).toEqual([
      { kind: 'more', text: 'It now runs automatically. Previously, it ran only when you started it' },
    ]);
  });

  it('are empty if the request is unchanged or nothing was approved', () => {
    expect(findFunctionChanges(createFunction())).toEqual([]);
    expect(findFunctionChanges(createFunction({ approved: null }))).toEqual([]);
  });
});

const dryRun = {
  outcome: null,
  message: null,
  window: { fromDate: null, untilDate: '2026-03-01T10:00:00.000Z' },
  dataBundle: null,
  recordsIn: 5,
  bytesIn: 500,
  more: false,
  output: null,
  records: [],
  durationMs: null,
  peakMemoryBytes: null,
  log: [],
};

describe('input preview', () => {
  const record = (n: number, endpoint = 'diary/entries') => ({
    endpoint,
    recordId: String(n),
    data: { text: n, mood: 1 },
  });
  const input = { functionConfiguration: {}, request: { data: { entries: [1, 2, 3, 4, 5].map((n) => record(n)) } } };

  it('counts records by property and shows the first ones', () => {
    const preview = previewOf(describeReads(createBundle(), 'new'), {
      ...dryRun,
      input,
    });
    expect(preview.properties).toMatchObject([
      {
        property: 'entries',
        leaving: 5,
        records: [record(1), record(2), record(3)],
        entries: [{ fields: ['text', 'mood'] }],
      },
    ]);
  });

  it('is empty without records or without input', () => {
    expect(recordsOf(null).size).toBe(0);
    expect(recordsOf({ request: [] }).size).toBe(0);
    expect(previewOf(describeReads(createBundle(), 'new'), { ...dryRun, input: null }).properties[0]?.leaving).toBe(0);
  });
});

describe('text excerpt', () => {
  it('ends at a line break if there is one, and contains a short text entirely', () => {
    expect(firstLines('one\ntwo\nthree', 9)).toBe('one\ntwo');
    expect(firstLines('one\ntwo', 9)).toBe('one\ntwo');
    expect(firstLines('a'.repeat(20), 9)).toBe('a'.repeat(9));
  });
});

describe('functionItems', () => {
  it('lists enabled functions that need a decision, failed, were stopped in a cycle or are unavailable', () => {
    const items = functionItems([
      createFunction({ id: 'a', name: 'Collector', asksForMore: true }),
      createFunction({
        id: 'b',
        name: 'Broken',
        failures: 2,
        lastRun: createRun({ outcome: 'error', message: 'Why.' }),
      }),
      createFunction({ id: 'c', name: 'Hen', cycle: { time: '2026-03-01T11:00:00.000Z', chain: ['c', 'e', 'c'] } }),
      createFunction({ id: 'e', name: 'Egg' }),
      createFunction({ id: 'f', name: 'Off', isUnpublished: true, problem: 'No response.' }),
      createFunction({ id: 'g', name: 'Away', status: { available: false }, problem: 'No response.' }),
    ]);
    expect(items.map(({ title, text, isError, to }) => [title, text, isError, to])).toEqual([
      ['Collector asks for more than you allowed', 'It does not run until you decide.', false, '/functions/a/enable'],
      ['Broken failed twice', 'Why.', true, '/functions/b'],
      ['Hen was stopped: endless loop', 'Hen and Egg start each other endlessly.', true, '/functions/c'],
      ['Away is on but not available', 'No response.', true, '/functions/g'],
    ]);
  });
});
