import { describe, expect, it } from 'vitest';
import { isFiltered, parseFilter, selectionOf, historyUrlParameters } from './use-filter.ts';

const filterOf = (query: string) => parseFilter(new URLSearchParams(query));
const RECORD = '01900000-0000-7000-8000-000000000000';

describe('history filter in the URL', () => {
  it('contains application, contract, Data Debit, record and outcome, but not the open entry', () => {
    expect(filterOf(`application=acme&debit=a/b&record=${RECORD}&outcome=refused`)).toMatchObject({
      application: 'acme',
      debit: 'a/b',
      record: RECORD,
      outcome: 'refused',
    });
    expect(isFiltered(filterOf('row=7'))).toBe(false);
    expect(isFiltered(filterOf('contract=c'))).toBe(true);
  });

  it('keeps the chart display mode when a filter changes or an entry is opened', () => {
    const urlParameters = new URLSearchParams('chart=table&application=acme&row=7');
    expect(
      historyUrlParameters(urlParameters, { ...parseFilter(urlParameters), outcome: 'refused' }, undefined).toString(),
    ).toBe('chart=table&application=acme&outcome=refused');
    expect(historyUrlParameters(urlParameters, parseFilter(urlParameters), 8).toString()).toBe(
      'chart=table&application=acme&row=8',
    );
  });

  it('ignores invalid values', () => {
    const filter = filterOf('record=here&outcome=maybe&from=yesterday&to=2026-02-30&application=');
    expect(isFiltered(filter)).toBe(false);
  });

  it('converts local days to their first and last millisecond', () => {
    const { from, to } = selectionOf(filterOf('from=2026-03-01&to=2026-03-01'));
    expect(from).toBe(new Date(2026, 2, 1).toISOString());
    expect(to).toBe(new Date(2026, 2, 1, 23, 59, 59, 999).toISOString());
    expect(selectionOf(filterOf('to=2026-03-01')).from).toBeUndefined();
  });
});
