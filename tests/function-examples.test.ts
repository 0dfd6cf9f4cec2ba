import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as activity from '../examples/functions/activity-summary/function.js';
import * as counter from '../examples/functions/feed-counter/function.js';
import type { Configuration, NamedBundle, Output, ProcessRequest, Window } from '../examples/functions/function.d.ts';
import * as keywords from '../examples/functions/keywords/function.js';
import * as template from '../examples/functions/template/function.js';
import { feedItemSchema } from '../server/wire/feed.ts';
import { functionBundleSchema, functionManifestSchema, publishedFunctionSchema } from '../server/wire/functions.ts';

// Tests the computations of the examples in this process, without the sandbox.

type Example = {
  configuration(): Configuration;
  dataBundle(window: Window): NamedBundle;
  // Each example has a different record type.
  process(request: ProcessRequest<never>): Output[];
};

const NOW = '2026-03-20T10:00:00.000Z';
beforeEach(() => void vi.useFakeTimers({ now: new Date(NOW), toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const createRequest = <Data>(
  example: { configuration(): Configuration },
  data: Record<string, Data[]>,
  lastExecution?: string,
): ProcessRequest<Data> => ({
  functionConfiguration: {
    ...example.configuration(),
    status: lastExecution === undefined ? {} : { lastExecution },
  },
  request: {
    data: Object.fromEntries(
      Object.entries(data).map(([property, records]) => [
        property,
        records.map((record, number) => ({
          endpoint: `test/${property}`,
          recordId: `record-${number}`,
          data: record,
        })),
      ]),
    ),
  },
});

describe.each<[string, Example]>([
  ['template', template],
  ['feed-counter', counter],
  ['activity-summary', activity],
  ['keywords', keywords],
])('%s', (id, example) => {
  const manifest = functionManifestSchema.parse(
    JSON.parse(
      readFileSync(fileURLToPath(new URL(`../examples/functions/${id}/manifest.json`, import.meta.url)), 'utf8'),
    ),
  );

  it('publishes the id and the version of its manifest', () => {
    const configuration = publishedFunctionSchema.parse(example.configuration());
    expect(configuration.info.version).toBe(manifest.version);
    expect(configuration.id).toBe(manifest.id);
  });

  it('returns a bundle for the first and later runs', () => {
    for (const window of [{ untilDate: NOW }, { fromDate: '2026-03-19T07:00:00.000Z', untilDate: NOW }])
      expect(functionBundleSchema.safeParse(example.dataBundle(window)).success).toBe(true);
  });

  it('returns no data without input', () => {
    const outputs = example.process(createRequest<never>(example, {}));
    expect(outputs.flatMap(({ data }) => data)).toEqual([]);
    for (const { namespace, endpoint } of outputs)
      expect([namespace, endpoint]).toEqual([manifest.namespace, manifest.endpoint]);
  });
});

describe('template', () => {
  it('counts words', () => {
    const [output] = template.process(createRequest(template, { notes: [{ text: ' two  words ' }, {}] }));
    expect(output?.data).toEqual([
      { note: 'record-0', words: 2 },
      { note: 'record-1', words: 0 },
    ]);
  });
});

describe('feed-counter', () => {
  it('creates one timeline entry with all counts, the largest first', () => {
    const [output] = counter.process(
      createRequest(counter, { Notes: [{}], Steps: Array.from({ length: 1200 }, () => ({})), Tweets: [] }),
    );
    const item = feedItemSchema.parse(output?.data[0]);
    expect(output?.data).toHaveLength(1);
    expect(item.title?.text).toBe('1 201 new or changed records');
    expect(item.content?.text).toBe('Steps: 1 200\nNotes: 1');
    expect(item.date).toEqual({ iso: NOW, unix: Date.parse(NOW) / 1000 });
  });

  it('requests no field of a record', () => {
    for (const { endpoints } of Object.values(counter.dataBundle().bundle))
      for (const { mapping } of endpoints) expect(mapping).toEqual({ nothing: '_' });
  });
});

describe('activity-summary', () => {
  const days = (first: number, last: number, steps: (day: number) => number) =>
    Array.from({ length: last - first + 1 }, (_, index) => ({
      day: `2026-03-${String(first + index).padStart(2, '0')}`,
      steps: steps(first + index),
    }));

  it('summarises each day that has ended since the last run once, compared with the week before it', () => {
    const data = [
      ...days(10, 19, () => 5000),
      { day: '2026-03-19T18:00', steps: 1000 },
      { day: '2026-03-20', steps: 9 },
    ];
    const [output] = activity.process(createRequest(activity, { steps: data }, '2026-03-18T23:00:00.000Z'));
    const items = (output?.data ?? []).map((item) => feedItemSchema.parse(item));
    expect(items.map(({ title, content }) => [title?.text, content?.text])).toEqual([
      ['5 000 steps', 'Same as on a usual day (5 000).'],
      ['6 000 steps', '20 % more than on a usual day (5 000).'],
    ]);
    expect(items.map(({ date }) => date.iso)).toEqual(['2026-03-18T23:59:59.000Z', '2026-03-19T23:59:59.000Z']);
  });

  it('reads only the summarised days and the week before them', () => {
    const bundle = activity.dataBundle({ fromDate: '2026-03-18T23:00:00.000Z', untilDate: NOW }).bundle;
    // `between` excludes both bounds.
    expect(bundle['steps']?.endpoints[0]?.filters).toEqual([
      { field: 'day', operator: { operator: 'between', lower: '2026-03-10', upper: '2026-03-20' } },
    ]);
  });

  it('neither skips nor repeats a day, whenever it runs', () => {
    const allDays = days(1, 28, (day) => day);
    const summarisedDays: string[] = [];
    let lastRun: string | undefined;
    for (const now of [
      '2026-03-05T00:00:00Z',
      '2026-03-05T23:59:59Z',
      '2026-03-06T00:00:00Z',
      '2026-03-09T12:00:00Z',
      '2026-03-12T01:00:00Z',
    ]) {
      vi.setSystemTime(new Date(now));
      const [output] = activity.process(createRequest(activity, { steps: allDays }, lastRun));
      summarisedDays.push(...(output?.data ?? []).map((item) => (item as { day: string }).day));
      lastRun = now;
    }
    expect(summarisedDays).toEqual(days(1, 11, () => 0).map(({ day }) => day));
  });

  it('ignores records with a different structure', () => {
    const invalidRecords = [{ day: 5, steps: 1 }, { day: '2026-03-19', steps: 'many' }, {}];
    expect(activity.process(createRequest(activity, { steps: invalidRecords }, '2026-03-18T23:00:00.000Z'))).toEqual(
      [],
    );
  });
});

describe('keywords', () => {
  const tagsOf = (text: string) => {
    const [output] = keywords.process(createRequest(keywords, { texts: [{ text }] }));
    return output?.data[0] as { keywords: string[]; mood: number; sounds: string } | undefined;
  };

  it('finds the most significant words', () => {
    expect(
      tagsOf('The garden again. I dug the garden, and the tomatoes are in; garden work is never done.')?.keywords,
    ).toEqual(['garden', 'tomatoes', 'work']);
  });

  it.each([
    ['A wonderful day, we laughed so much.', 'glad'],
    ['I was not happy and rather worried.', 'sad'],
    ['Bought bread and milk.', 'even'],
    ['A terrible morning, a perfect evening.', 'even'],
  ])('detects the mood of "%s"', (text, sounds) => {
    expect(tagsOf(text)?.sounds).toBe(sounds);
  });

  it('refers to the text and does not copy it', () => {
    const [output] = keywords.process(
      createRequest(keywords, { texts: [{ text: 'Secret thoughts about gardening' }] }),
    );
    expect(output?.data[0]).toMatchObject({ text: { endpoint: 'test/texts', recordId: 'record-0' } });
    expect(JSON.stringify(output)).not.toContain('thoughts about');
  });

  it('ignores values that are not strings', () => {
    expect(keywords.process(createRequest(keywords, { texts: [{ text: 5 }, { text: '  ' }, {}] }))).toEqual([]);
  });
});
