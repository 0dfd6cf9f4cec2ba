import { describe, expect, it } from 'vitest';
import { readerCondition } from './reader-filter.ts';
import { parseFilter } from './use-filter.ts';

const ACME = { kind: 'application', name: 'acme' } as const;
const VISITOR = { kind: 'visitor', name: '' } as const;
const matches = (query: string) => {
  const condition = readerCondition(parseFilter(new URLSearchParams(query)));
  return condition === undefined ? undefined : [ACME, VISITOR].map(condition);
};

describe('readerCondition', () => {
  it('accepts all readers without a filter, otherwise only the selected one', () => {
    expect(matches('')).toEqual([true, true]);
    expect(matches('application=acme')).toEqual([true, false]);
    expect(matches('contract=acme')).toEqual([false, false]);
    expect(matches('who=visitor')).toEqual([false, true]);
  });

  it('is undefined if the filter has conditions other than the reader', () => {
    for (const query of ['application=acme&debit=lunch', 'search=steps', 'act=read', 'from=2026-03-01'])
      expect(matches(query)).toBeUndefined();
  });
});
