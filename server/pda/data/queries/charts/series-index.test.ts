import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CHARTED_RECORD_MAX_BYTES } from '../../../../wire/limits.ts';
import type { EndpointRow } from '../../../core/endpoint-store.ts';
import { insertRecords, openRecords } from '../sql/database.test-support.ts';
import { createChartService } from './service.ts';
import { createChartStore, defineSeriesIndex, type SeriesFields } from './store.ts';

const ENDPOINT = 7;

const TIMES = ['2026-03-01', '2026-03-01T10:30:00', '2026-03-01T23:30:00Z', '2026-03-01 10:59', 'Jun 12 1998', 1955];
const NUMBERS = ['12', '-3', 'PT1H', 20_240_303, 1_709_251_200, 1_709_251_200_000, 1e300];
const OTHERS = ['soon', '', null, true, [], [1], { a: 1 }];
const values = fc.oneof(fc.constantFrom<unknown>(...TIMES, ...NUMBERS, ...OTHERS), fc.integer({ min: -5, max: 5 }));
const record = fc.record({ at: values, n: values }, { requiredKeys: [] });
const fields: fc.Arbitrary<SeriesFields> = fc.record({
  time: fc.option(
    fc.record({
      path: fc.constant('at'),
      format: fc.constantFrom('iso', 'seconds', 'milliseconds', 'year', 'month-name', 'month-day'),
    }),
    { nil: undefined },
  ),
  value: fc.constantFrom(undefined, 'n'),
});

it('a series read from its index equals the series read without it, for random records and fields', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(record, { maxLength: 40 }), fields, async (records, series) => {
      const db = openRecords();
      const largeRecord = { ...records[0], padding: 'x'.repeat(CHARTED_RECORD_MAX_BYTES) };
      insertRecords(db, [
        ...[...records, largeRecord].map((data) => [ENDPOINT, JSON.stringify(data)] as const),
        [ENDPOINT + 1, JSON.stringify({ at: '2026-03-01', n: 1 })],
      ]);
      const index = defineSeriesIndex(ENDPOINT, series);
      db.exec(index.createSql);
      const summary: EndpointRow = {
        id: ENDPOINT,
        path: 'a/b',
        records: records.length,
        bytes: 0,
        first_created: null,
        last_created: null,
        last_change: null,
      };
      const read = (readyNames: ReadonlySet<string>) =>
        createChartService({
          store: createChartStore({
            all: async <Row>(sql: string, parameters?: readonly unknown[]) =>
              db.prepare(sql).all(...(parameters ?? [])) as Row[],
          }),
          endpoints: { summary: () => summary },
          indexes: { readyNames: () => readyNames, generation: () => 0, checkEndpointId: () => undefined },
          indexUses: { add: async () => undefined },
        }).series({ endpoint: 'a/b', per: 'hour', ...series });
      const indexedSeries = await read(new Set([index.name]));
      expect(indexedSeries).toEqual(await read(new Set()));
      expect(indexedSeries.records).toBe(records.length);
      db.close();
    }),
    { numRuns: 40 },
  );
});
