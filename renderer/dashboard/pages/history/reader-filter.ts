import type { LedgerRow } from '../../../shared/api/contract.ts';
import { type Filter, FILTERS } from './use-filter.ts';

/** Conditions on the reader. The filter bar sets at most one of them. */
export const READER_FILTERS = ['who', 'application', 'contract', 'function', 'user'] as const;
/** Conditions on the consent. The filter bar sets at most one of them. */
export const CONSENT_FILTERS = ['debit', 'link'] as const;

/**
 * Returns a predicate that selects the readers that match the filter. Returns undefined if the filter has any condition
 * that is not on the reader, because totals exist per reader only.
 */
export function readerCondition(filter: Filter): ((who: LedgerRow['who']) => boolean) | undefined {
  const isReaderFilter = (name: string): boolean => READER_FILTERS.some((filterName) => filterName === name);
  if (FILTERS.some((name) => filter[name] !== undefined && !isReaderFilter(name))) return undefined;
  return ({ kind, name }) =>
    READER_FILTERS.every((filterName) => {
      const value = filter[filterName];
      if (value === undefined) return true;
      return filterName === 'who' ? kind === value : kind === filterName && name === value;
    });
}

/** Returns the filter for a reader's entries; empty for an Offer and the PDA itself. */
export function readerFilter({ kind, name }: LedgerRow['who']): Record<string, string> {
  switch (kind) {
    case 'application':
    case 'contract':
    case 'user':
    case 'function':
      return { [kind]: name };
    case 'owner':
    case 'visitor':
    case 'exchange':
      return { who: kind };
    case 'offer':
    case 'pda':
      return {};
  }
}
