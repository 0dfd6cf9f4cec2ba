import { describe, expect, it } from 'vitest';
import { functionNeeds } from '../home/attention/functions.ts';
import { beginning } from './dry-run/text-excerpt.ts';
import { changesOf } from './consent/differences.ts';
import { bundleOf, functionOf, runOf } from './example.test-support.ts';
import { previewOf, recordsOf } from './consent/input-preview.ts';
import { periodText, triggerText } from './trigger-text.ts';
import { isCircle, lookOf, outcomeText, plainReads } from './function-text.ts';

const plain = (text: string): string => text.replaceAll(/[\u00A0\u202F]/g, ' ');

describe('when it runs', () => {
  it.each([
    ['P1D', 'day'],
    ['PT6H', '6 hours'],
    ['PT1M', 'minute'],
    ['P1M', 'month'],
    ['P1DT12H', '1 day and 12 hours'],
    [90_000, '2 minutes'],
    [3_600_000, '60 minutes'],
  ])('%s is every %s', (period, text) => {
    expect(plain(periodText(period))).toBe(text);
  });

  it('says that a period alone starts nothing', () => {
    expect(triggerText({ triggerType: 'periodic', period: 'P1D' })).toBe('Every day, if there is new data');
  });
});

describe('how a run ended', () => {
  it('is a circle only where it comes back to where it began', () => {
    const round = { outcome: 'stopped' as const, chain: ['a', 'b', 'a'] };
    expect(isCircle(round)).toBe(true);
    expect(outcomeText(round)).toContain('loop');
    expect(isCircle({ outcome: 'stopped', chain: ['a'] })).toBe(false);
    expect(isCircle({ outcome: 'done', chain: ['a', 'b', 'a'] })).toBe(false);
  });

  it.each([
    ['running', { outcome: null }],
    ['done', {}],
    ['undone', { undone: '2026-03-02T00:00:00.000Z' }],
    ['stopped', { outcome: 'stopped' as const }],
    ['failed', { outcome: 'memory' as const }],
  ])('looks %s', (look, change) => {
    expect(lookOf(runOf(change))).toBe(look);
  });
});

describe('what it reads', () => {
  it('is not bounded by a limit of one run', () => {
    const bundle = bundleOf({ text: 'text' }, 100);
    expect(plain(plainReads(bundle, 'new')[0]?.amount ?? '')).toBe(
      'Every record, existing and new, at most 100 per run',
    );
    expect(plain(plainReads(bundle, 'all')[0]?.amount ?? '')).toContain('The oldest 100 records');
  });

  it('is nothing with a limit of nothing', () => {
    expect(plainReads(bundleOf(undefined, 0), 'new')[0]?.amount).toContain('No record at all');
  });
});

describe('what changed since it was approved', () => {
  it('is the data that is more', () => {
    const one = functionOf({ dataBundle: bundleOf({ text: 'text', place: 'place' }), asksForMore: true });
    expect(changesOf(one)).toEqual([{ kind: 'more', text: 'Place of Entries (diary/entries)' }]);
  });

  it('is where it runs, when the data is the same', () => {
    const one = functionOf({ place: { kind: 'elsewhere', host: 'far.example' }, asksForMore: true });
    expect(changesOf(one)).toEqual([
      { kind: 'more', text: 'It now runs on far.example: all data it reads leaves this PDA and is sent there' },
    ]);
  });

  it('is where it stores', () => {
    expect(changesOf(functionOf({ writes: 'profile/owner', asksForMore: true }))).toEqual([
      { kind: 'more', text: 'It now stores its results in profile/owner' },
    ]);
  });

  it('is that it runs by itself', () => {
    const one = functionOf({ asksForMore: true });
    const { configuration } = one;
    if (configuration === null) throw new Error('it has published itself');
    const now = { ...one, configuration: { ...configuration, trigger: { triggerType: 'individual' as const } } };
    expect(changesOf(now)).toEqual([
      { kind: 'more', text: 'It now runs automatically. Before, it ran only when you started it' },
    ]);
  });

  it('is nothing when the same is published again, or nothing was approved', () => {
    expect(changesOf(functionOf())).toEqual([]);
    expect(changesOf(functionOf({ approved: null }))).toEqual([]);
  });
});

describe('what it would get', () => {
  const record = (n: number, endpoint = 'diary/entries') => ({
    endpoint,
    recordId: String(n),
    data: { text: n, mood: 1 },
  });
  const input = { functionConfiguration: {}, request: { data: { entries: [1, 2, 3, 4, 5].map((n) => record(n)) } } };

  it('is counted by property, and its first records are shown', () => {
    const preview = previewOf(plainReads(bundleOf(), 'new'), {
      ...dry,
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

  it('is nothing where there is none, or none was put together', () => {
    expect(recordsOf(null).size).toBe(0);
    expect(recordsOf({ request: [] }).size).toBe(0);
    expect(previewOf(plainReads(bundleOf(), 'new'), { ...dry, input: null }).properties[0]?.leaving).toBe(0);
  });
});

const dry = {
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

describe('the beginning of a long text', () => {
  it('ends with a line', () => {
    expect(beginning('one\ntwo\nthree', 9)).toBe('one\ntwo');
    expect(beginning('one\ntwo', 9)).toBe('one\ntwo');
    expect(beginning('a'.repeat(20), 9)).toBe('a'.repeat(9));
  });
});

describe('what Home says of functions', () => {
  it('names what wants a decision, failed, or went round in a circle; and nothing else', () => {
    const needs = functionNeeds([
      functionOf({ id: 'a', name: 'Asker', asksForMore: true }),
      functionOf({ id: 'b', name: 'Broken', failures: 2, lastRun: runOf({ outcome: 'error', message: 'Why.' }) }),
      functionOf({ id: 'c', name: 'Hen', cycle: { time: '2026-03-01T11:00:00.000Z', chain: ['c', 'e', 'c'] } }),
      functionOf({ id: 'e', name: 'Egg' }),
      functionOf({ id: 'f', name: 'Off', unknown: true, problem: 'No answer.' }),
      functionOf({ id: 'g', name: 'Away', status: { available: false }, problem: 'No answer.' }),
    ]);
    expect(needs.map(({ title, text, fault, to }) => [title, text, fault, to])).toEqual([
      ['Asker asks for more than you allowed', 'It does not run until you decide.', false, '/functions/a/enable'],
      ['Broken failed twice', 'Why.', true, '/functions/b'],
      ['Hen was stopped: endless loop', 'Hen and Egg start each other endlessly.', true, '/functions/c'],
      ['Away is on but not available', 'No answer.', true, '/functions/g'],
    ]);
  });
});
