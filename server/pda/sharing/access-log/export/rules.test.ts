import { describe, expect, it } from 'vitest';
import { formatCsvRow } from '../../../../platform/json/csv-writer.ts';
import type { LedgerRow } from '../../../../wire/ledger.ts';
import { toCsvRecordText, EXPORT_COLUMNS, toExportedEntry } from './rules.ts';

const ROW: LedgerRow = {
  id: 1,
  time: '2026-03-04T12:00:00.000Z',
  who: { kind: 'application', name: 'walks' },
  action: 'GET /api/v2.6/data/:namespace/*endpoint',
  outcome: 'allowed',
  status: 200,
  reason: null,
  consent: { kind: 'contract', name: 'walking-study', detail: '' },
  endpoints: ['fitness/dailySteps', 'fitness/sleep'],
  files: [],
  records: 42,
  fields: ['a', 'b'],
  bytes: 1000,
  address: '203.0.113.7',
  count: 1,
  last: null,
};
const names = { nameOf: (kind: string) => (kind === 'application' ? '=HYPERLINK("https://evil.example")' : undefined) };
const entry = toExportedEntry(ROW, names, (endpoint) => endpoint.toUpperCase());

describe('an exported entry', () => {
  it('has ids and names', () => {
    expect(entry).toMatchObject({
      who: { kind: 'application', id: 'walks' },
      act: 'read',
      consent: { kind: 'contract', id: 'walking-study', name: null },
      endpoints: [
        { endpoint: 'fitness/dailySteps', name: 'FITNESS/DAILYSTEPS' },
        { endpoint: 'fitness/sleep', name: 'FITNESS/SLEEP' },
      ],
      records: 42,
      requests: 1,
    });
  });

  it('is one CSV row with a cell for each column, in which names cannot be formulas', () => {
    const cells = JSON.parse(toCsvRecordText(entry)) as Record<string, unknown>;
    const topLevel = new Set(EXPORT_COLUMNS.map((column) => column.split('.')[0]));
    expect(new Set(Object.keys(cells))).toEqual(topLevel);
    expect(formatCsvRow(toCsvRecordText(entry), EXPORT_COLUMNS)).toBe(
      '2026-03-04T12:00:00.000Z,,application,walks,"\'=HYPERLINK(""https://evil.example"")",read,' +
        'GET /api/v2.6/data/:namespace/*endpoint,allowed,200,,contract,walking-study,,,' +
        '"fitness/dailySteps; fitness/sleep","FITNESS/DAILYSTEPS; FITNESS/SLEEP",,42,"a; b",1000,203.0.113.7,1\r\n',
    );
  });
});
