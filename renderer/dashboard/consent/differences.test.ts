import { describe, expect, it } from 'vitest';
import type { Bundle } from '../../../server/wire/query.ts';
import { type ProposalTerms, findBundleDifferences, findDifferences } from './differences.ts';

const withPlainSpaces = (text: string) => text.replaceAll(/[\u202F\u00A0]/g, ' ');
const describeDifferences = (before: Bundle, after: Bundle) =>
  findBundleDifferences(before, after).map(({ kind, text }) => `${kind}: ${withPlainSpaces(text)}`);

const steps = { endpoint: 'fit/steps', mapping: { day: 'date', steps: 'steps' } };
const terms = (changes: Partial<ProposalTerms> = {}): ProposalTerms => ({
  bundle: { name: 'b', bundle: { a: { endpoints: [steps] } } },
  purpose: 'Why',
  termsUrl: 'https://a.example/terms',
  start: '2026-01-01T00:00:00.000Z',
  period: 86_400,
  cancelAtPeriodEnd: true,
  ...changes,
});

describe('differences between proposals', () => {
  it('are empty for proposals that differ only in the bundle name', () => {
    expect(
      findDifferences(terms(), terms({ bundle: { name: 'other', bundle: { a: { endpoints: [steps] } } } })),
    ).toEqual([]);
  });

  it('list added and removed fields', () => {
    const changedBundle = {
      a: { endpoints: [{ endpoint: 'fit/steps', mapping: { day: 'date', pulse: 'heart.rate' } }] },
    };
    expect(describeDifferences({ a: { endpoints: [steps] } }, changedBundle)).toEqual([
      'more: Heart rate of Steps (fit/steps)',
      'less: No longer Steps of Steps',
    ]);
  });

  it('include different data under an existing field name', () => {
    const changedBundle = {
      a: { endpoints: [{ endpoint: 'fit/steps', mapping: { day: 'date', steps: 'location' } }] },
    };
    expect(describeDifferences({ a: { endpoints: [steps] } }, changedBundle)[0]).toBe(
      'more: Location of Steps (fit/steps)',
    );
  });

  it('include members that are added to an object within a list or another object', () => {
    const withMembers = (contact: Record<string, string>): Bundle => ({
      a: {
        endpoints: [
          {
            endpoint: 'work/meetings',
            mapping: {
              'people[]': { source: 'people[]', mappings: { who: { source: 'contact', mappings: contact } } },
            },
          },
        ],
      },
    });
    expect(
      describeDifferences(withMembers({ phone: 'phone' }), withMembers({ phone: 'phone', email: 'email' })),
    ).toEqual([
      'more: People, each with contact (phone and email) of Meetings (work/meetings)',
      'less: No longer People, each with contact (phone) of Meetings',
    ]);
  });

  it('say when a proposal adds or no longer includes entire records', () => {
    const entireRecords = { a: { endpoints: [{ endpoint: 'fit/steps' }] } };
    expect(describeDifferences({ a: { endpoints: [steps] } }, entireRecords)).toEqual([
      'more: Entire records of Steps, every field, including fields added later, instead of 2 fields',
    ]);
    expect(
      describeDifferences(
        { a: { endpoints: [steps] } },
        { a: { endpoints: [steps] }, b: { endpoints: [{ endpoint: 'fit/sleep' }] } },
      ),
    ).toEqual(['more: Entire records of Sleep (fit/sleep): every field, including fields added later']);
    expect(describeDifferences(entireRecords, { a: { endpoints: [steps] } })).toEqual([
      'less: Only Date and Steps of Steps, no longer entire records',
    ]);
  });

  it('report changed filters and limits, and removed data', () => {
    const filteredSteps = {
      ...steps,
      filters: [{ field: 'steps', operator: { operator: 'between' as const, lower: 1, upper: 9 } }],
    };
    expect(
      describeDifferences({ a: { endpoints: [filteredSteps], limit: 10 } }, { a: { endpoints: [steps], limit: 100 } }),
    ).toEqual([
      'more: Every record of Steps. Before: Only where Steps is between 1 and 9, exclusive',
      'more: A: Only the oldest 100 records; new ones are added only until that number is reached. Before: Only the oldest 10 records; new ones are added only until that number is reached',
    ]);
    expect(describeDifferences({ a: { endpoints: [steps] } }, { a: { endpoints: [steps], limit: 3 } })[0]).toMatch(
      /^less: A: Only the oldest 3/,
    );
    expect(describeDifferences({ a: { endpoints: [steps] } }, {}).join(' ')).toBe('less: No more data from Steps');
  });

  it('report a filter and an order that changed to a different field with the same name', () => {
    const names = { endpoint: () => 'Steps', field: () => 'Day', namespace: () => 'Fit' };
    const createBundle = (field: string): Bundle => ({
      a: {
        endpoints: [
          { endpoint: 'fit/steps', mapping: null, filters: [{ field, operator: { operator: 'in', value: 5 } }] },
        ],
        orderBy: field,
        limit: 3,
      },
    });
    expect(findBundleDifferences(createBundle('start'), createBundle('start'), names)).toEqual([]);
    expect(
      findBundleDifferences(createBundle('start'), createBundle('end'), names).map(({ text }) => withPlainSpaces(text)),
    ).toEqual([
      'Steps: Only where end is 5. Before: Only where start is 5',
      'A: Only the first 3 records by Day at any given time (end). Before: Only the first 3 records by Day at any given time (start)',
    ]);
  });

  it('report filter values that differ only beyond the displayed length', () => {
    const createBundle = (end: string): Bundle => ({
      a: {
        endpoints: [
          {
            ...steps,
            filters: [{ field: 'a', operator: { operator: 'contains', value: { b: 'x'.repeat(99) + end } } }],
          },
        ],
      },
    });
    expect(describeDifferences(createBundle('1'), createBundle('2'))[0]).toContain('x2');
  });

  it('add paths to endpoints with the same name', () => {
    const [activity, sleep] = [{ endpoint: 'health/activity/summary' }, { endpoint: 'health/sleep/summary' }];
    const filters = [{ field: 'steps', operator: { operator: 'in' as const, value: 5 } }];
    expect(
      describeDifferences({ a: { endpoints: [activity] } }, { a: { endpoints: [{ ...sleep, mapping: { a: 'a' } }] } }),
    ).toEqual([
      'more: A of Summary (health/sleep/summary)',
      'less: No more data from Summary (health/activity/summary)',
    ]);
    expect(
      describeDifferences(
        { a: { endpoints: [activity, { ...sleep, mapping: { a: 'a' } }] } },
        { a: { endpoints: [{ ...activity, filters }, sleep] } },
      ),
    ).toEqual([
      'more: Entire records of Summary (health/sleep/summary), every field, including fields added later, instead of 1 field',
      'other: Summary (health/activity/summary): Only where Steps is 5. Before: every record',
    ]);
  });

  it('report changed duration, purpose, terms and conditions', () => {
    const differences = findDifferences(
      terms(),
      terms({
        period: 2 * 86_400,
        cancelAtPeriodEnd: false,
        purpose: 'Another',
        termsUrl: 'https://b.example',
        conditions: { name: 'c', bundle: { c: { endpoints: [{ endpoint: 'home/where' }] } } },
      }),
    ).map(({ kind, text }) => `${kind}: ${withPlainSpaces(text)}`);
    expect(differences).toEqual([
      'more: It would renew until you stop sharing. Currently it ends with its period',
      'more: A period is 2 days long. Before: 1 day',
      'other: New condition: only while there are matching records in home/where',
      'other: The text of its purpose changed. Before: “Why”',
      'other: Its terms are at a different address',
    ]);
  });
});
