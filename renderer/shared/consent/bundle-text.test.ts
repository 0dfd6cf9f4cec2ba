import { describe, expect, it } from 'vitest';
import type { BundleProperty, Filter, Mapping } from '../../../server/wire/query.ts';
import { filterText, filtersText } from './filter-text.ts';
import { endpointNameOf } from '../../../server/wire/display-name.ts';
import { fieldName, initials, summariseNames } from '../components/display-names.ts';
import { amountText, bundleText, extentOf, plainBundle, worstCaseText } from './bundle-text.ts';

const withPlainSpaces = (text: string | undefined) => (text ?? '').replaceAll(/[\u202F\u00A0]/g, ' ');

const betweenText = (
  lower: number | string,
  upper: number | string,
  transformation?: Filter['transformation'],
  field = 'data.start',
): string =>
  withPlainSpaces(
    filterText({
      field,
      ...(transformation === undefined ? {} : { transformation }),
      operator: { operator: 'between', lower, upper },
    }),
  );
const hourOfDay = { transformation: 'datetimeExtract', part: 'hour' } as const;
type Bound = string | number | boolean | object | null;

describe('field and endpoint labels', () => {
  it.each([
    ['data.heart_rate', 'Heart rate'],
    ['startTime', 'Start time'],
    ['data.place.lat', 'Place lat'],
    ['tags[0]', 'Tags 1'],
    ['data.attendees[]', 'Attendees'],
    ['homeURL', 'Home URL'],
    ['pulse.resting', 'Resting pulse'],
    ['[]', 'The whole value'],
    ['data.[][]', 'The whole value'],
    ['data', 'Data'],
    ['_', '_'],
    ['', 'The whole value'],
  ])('field %s is labelled %s', (path, text) => {
    expect(fieldName(path)).toBe(text);
  });

  it.each([
    ['fitbit/activity/day-summary', 'Day summary'],
    ['notes/ideas', 'Ideas'],
    ['a/b.c', 'B c'],
  ])('endpoint %s is labelled %s', (endpoint, text) => {
    expect(endpointNameOf(endpoint)).toBe(text);
  });

  it('lists up to three distinct names, or two names and the number of others', () => {
    expect(summariseNames(['Steps', 'Steps', 'Sleep', 'Places'])).toBe('Steps, Sleep and Places');
    expect(summariseNames(['A', 'B', 'C', 'D'])).toBe('A, B and 2 more');
  });

  it('derives up to two initials', () => {
    expect([initials('Acme Health'), initials('planner'), initials('"Zürich" — Ö'), initials('')]).toEqual([
      'AH',
      'PL',
      'ZÖ',
      '',
    ]);
  });
});

describe('filterText and filtersText', () => {
  it('describes hours by the matching times: bounds are excluded and minutes are ignored', () => {
    expect(betweenText(9, 17, hourOfDay)).toBe('the time of Start is from 10:00 to 16:59 UTC');
    expect(betweenText(8.5, 9.5, hourOfDay)).toBe('the time of Start is from 09:00 to 09:59 UTC');
    expect(betweenText(-5, 99, hourOfDay)).toBe('the time of Start is from 00:00 to 23:59 UTC');
  });

  it('states that a condition can never match', () => {
    const impossibleFilter: Filter = {
      field: 'data.start',
      transformation: hourOfDay,
      operator: { operator: 'between', lower: 9, upper: 10 },
    };
    expect(filtersText([impossibleFilter])).toBe('This condition can never be met: nothing is shared');
    expect(filtersText([{ field: 'a', operator: { operator: 'between', lower: 5, upper: 5 } }])).toMatch(/never/);
  });

  it.each<[Bound, Bound, typeof hourOfDay | undefined, boolean]>([
    [5, 'm', undefined, true],
    ['a', 5, undefined, false],
    [true, 5, undefined, true],
    [5, true, undefined, false],
    [false, true, undefined, true],
    [null, null, undefined, true],
    [null, 'm', undefined, false],
    [{}, [], undefined, true],
    [null, 'm', hourOfDay, true],
    [false, {}, hourOfDay, true],
    ['a', true, hourOfDay, false],
    // By code point, as the PDA compares: UTF-16 units would sort U+FFFD after every emoji.
    ['\uFFFD', '😀', undefined, false],
    ['😀', '\uFFFD', undefined, true],
  ])('determines whether any value can be between %j and %j', (lower, upper, transformation, isImpossible) => {
    const operator = { operator: 'between' as const, lower, upper };
    const filters = [{ field: 'a', operator, ...(transformation === undefined ? {} : { transformation }) }];
    expect(filtersText(filters) === 'This condition can never be met: nothing is shared').toBe(isImpossible);
  });

  it.each([
    [
      { transformation: 'datetimeExtract', part: 'isodow' } as const,
      0,
      6,
      'Start falls on a Monday, Tuesday, Wednesday, Thursday or Friday (UTC)',
    ],
    [{ transformation: 'datetimeExtract', part: 'isodow' } as const, 5, 8, 'Start falls on a Saturday or Sunday (UTC)'],
    [{ transformation: 'datetimeExtract', part: 'isodow' } as const, -1, 2, 'the weekday of Start is 0 to 1 (UTC)'],
    [
      { transformation: 'datetimeExtract', part: 'isodow' } as const,
      6,
      1e12,
      'the weekday of Start is 7 to 999999999999 (UTC)',
    ],
    [{ transformation: 'datetimeExtract', part: 'dow' } as const, -1, 2, 'Start falls on a Sunday or Monday (UTC)'],
    [{ transformation: 'timestampExtract', part: 'month' } as const, 5, 9, 'Start is in June, July or August (UTC)'],
    [
      { transformation: 'datetimeExtract', part: 'year' } as const,
      2020,
      2024,
      'the year of Start is 2021 to 2023 (UTC)',
    ],
    [{ transformation: 'datetimeExtract', part: 'day' } as const, 1, 3, 'the day of the month of Start is 2 (UTC)'],
    [
      { transformation: 'datetimeExtract', part: 'second' } as const,
      1,
      2,
      'the second of Start is between 1 and 2, exclusive',
    ],
    [
      { transformation: 'datetimeExtract', part: 'milliseconds' } as const,
      1,
      2,
      'the number of milliseconds of Start is between 1 and 2, exclusive',
    ],
    [
      { transformation: 'timestampExtract', part: 'epoch' } as const,
      0,
      1e15,
      'the Unix time of Start is between 0 and 1000000000000000, exclusive',
    ],
  ])('describes time part filters: %o', (transformation, lower, upper, text) => {
    expect(betweenText(lower, upper, transformation)).toBe(text);
  });

  it('describes a list in `contains` as a single value, because a time part is a number', () => {
    const operator = { operator: 'contains' as const, value: [9, 10] };
    expect(filterText({ field: 'data.start', transformation: hourOfDay, operator })).toBe(
      'the hour of Start is [9,10] (UTC)',
    );
  });

  it.each<[Filter['operator'], string]>([
    [{ operator: 'between', lower: 5000, upper: 10_000 }, 'Type is between 5 000 and 10 000, exclusive'],
    [{ operator: 'between', lower: 'a', upper: 'm' }, 'Type comes between “a” and “m” in character order, exclusive'],
    [
      { operator: 'between', lower: '2026-01-01', upper: '2026-02-01' },
      'Type is between 2026-01-01 and 2026-02-01, exclusive',
    ],
    [{ operator: 'in', value: ['walk', 'run'] }, 'Type is “walk” or “run”'],
    [{ operator: 'in', value: 'walk' }, 'Type is “walk”'],
    [{ operator: 'in', value: { a: 1 } }, 'Type contains nothing but {"a":1}'],
    [{ operator: 'contains', value: true }, 'Type is yes, or a list that contains it'],
    [{ operator: 'contains', value: ['a', null] }, 'Type contains all of “a” and empty'],
    [{ operator: 'contains', value: { unit: 'km' } }, 'Type contains {"unit":"km"}'],
  ])('describes %o', (operator, text) => {
    expect(withPlainSpaces(filterText({ field: 'data.type', operator }))).toBe(text);
  });

  it('describes a search and joins several conditions', () => {
    const searchFilter: Filter = {
      field: 'data.text',
      transformation: { transformation: 'searchable' },
      operator: { operator: 'find', search: 'late train' },
    };
    const hourFilter: Filter = { field: 'at', transformation: hourOfDay, operator: { operator: 'in', value: [9, 22] } };
    expect(withPlainSpaces(filtersText([searchFilter, hourFilter]))).toBe(
      'Only where Text contains all words of “late train”, and the time of At is from 09:00 to 09:59 or from 22:00 to 22:59 UTC',
    );
    expect(filtersText([])).toBeUndefined();
  });

  it('truncates long values', () => {
    const text = filterText({ field: 'a', operator: { operator: 'contains', value: { long: 'x'.repeat(1000) } } });
    expect(text.length).toBeLessThan(120);
  });
});

describe('amountText', () => {
  const amountOf = (changes: Partial<BundleProperty>): string =>
    withPlainSpaces(amountText({ endpoints: [{ endpoint: 'a/b', mapping: { day: 'data.date' } }], ...changes }));

  it.each<[Partial<BundleProperty>, string]>([
    [{}, 'All records, including future ones'],
    [{ limit: null }, 'All records, including future ones'],
    [{ limit: 0 }, 'No records: the limit is 0'],
    [{ limit: 1 }, 'Only the oldest record at any given time'],
    [{ limit: 100, ordering: 'descending' }, 'Only the newest 100 records at any given time'],
    [{ limit: 5, orderBy: 'day', ordering: 'descending' }, 'Only the last 5 records by Date at any given time'],
    [{ limit: 5, orderBy: 'data.steps' }, 'Only the first 5 records by Steps at any given time'],
  ])('describes %o', (changes, text) => {
    expect(amountOf(changes)).toBe(text);
  });
});

describe('plainBundle and bundleText', () => {
  it('labels fields by their source, not by the requester’s names', () => {
    const [property] = plainBundle({
      a: { endpoints: [{ endpoint: 'fit/steps', mapping: { steps: 'data.heart_rate', day: 'day' } }] },
    });
    expect(property?.entries[0]?.fields).toEqual([
      {
        name: 'steps',
        label: 'Heart rate',
        source: 'heart_rate',
        sentAs: 'steps',
        hasSelectedMembers: false,
        isEntireRecord: false,
      },
      { name: 'day', label: 'Day', source: 'day', sentAs: null, hasSelectedMembers: false, isEntireRecord: false },
    ]);
  });

  it('uses the given endpoint and field names, and keeps the paths', () => {
    const names = {
      endpoint: (endpoint: string) => `My ${endpoint}`,
      field: (path: string, endpoint: string) => `My ${path} at ${endpoint}`,
      namespace: (namespace: string) => `My ${namespace}`,
    };
    const [property] = plainBundle(
      {
        a: {
          endpoints: [
            {
              endpoint: 'fit/steps',
              mapping: { steps: 'data.count' },
              filters: [{ field: 'data.count', operator: { operator: 'in', value: 5 } }],
            },
          ],
          orderBy: 'steps',
          ordering: 'descending',
          limit: 3,
        },
      },
      names,
    );
    expect(property?.entries[0]).toMatchObject({
      endpoint: 'fit/steps',
      title: 'My fit/steps',
      fields: [{ label: 'My data.count at fit/steps', source: 'count' }],
      filters: 'Only where My data.count at fit/steps is 5',
    });
    expect(withPlainSpaces(property?.amount)).toContain('by My data.count at fit/steps');
    expect(bundleText({ a: { endpoints: [{ endpoint: 'fit/steps' }] } }, names)).toBe('entire records of My fit/steps');
  });

  it('lists the members that are selected from the objects of a list', () => {
    const [property] = plainBundle({
      a: {
        endpoints: [
          {
            endpoint: 'c/events',
            mapping: { 'people[]': { source: 'data.attendees[]', mappings: { n: 'name', e: 'email' } } },
          },
        ],
      },
    });
    expect(property?.entries[0]?.fields?.[0]?.label).toBe('Attendees, each with name and email');
  });

  it('distinguishes endpoints with the same name by their paths', () => {
    const entries = [{ endpoint: 'health/activity/summary' }, { endpoint: 'health/sleep/summary' }];
    expect(bundleText({ a: { endpoints: entries } })).toBe(
      'entire records of Summary (health/activity/summary) and Summary (health/sleep/summary)',
    );
    expect(bundleText({ a: { endpoints: entries.slice(1) }, b: { endpoints: entries.slice(1) } })).toBe(
      'entire records of Summary',
    );
  });

  it('treats a field whose source is the whole record as entire records', () => {
    const textOf = (mapping: Mapping): string =>
      withPlainSpaces(bundleText({ a: { endpoints: [{ endpoint: 'fit/steps', mapping }] } })) ?? '';
    for (const source of ['[]', '[][]', 'data.[]', { source: '[]', mappings: { all: '[]' } }])
      expect(textOf({ count: 'count', steps: source })).toBe('entire records of Steps');
    for (const source of ['[].count', 'list[]', { source: '[]', mappings: { n: 'count' } }])
      expect(textOf({ steps: source })).toBe('1 field of Steps');
    const properties = plainBundle({ a: { endpoints: [{ endpoint: 'fit/steps', mapping: { steps: '[]' } }] } });
    expect(worstCaseText(extentOf(properties))).toBe(
      'Entire records of Steps: every field, including fields added later',
    );
  });

  it('mentions entire records before individual fields', () => {
    expect(
      withPlainSpaces(
        bundleText({
          a: { endpoints: [{ endpoint: 'fit/steps', mapping: { a: 'a', b: 'b' } }, { endpoint: 'fit/sleep' }] },
        }),
      ),
    ).toBe('entire records of Sleep, and 2 fields of Steps');
    expect(bundleText({ a: { endpoints: [{ endpoint: 'fit/sleep', mapping: null }] } })).toBe(
      'entire records of Sleep',
    );
  });
});
