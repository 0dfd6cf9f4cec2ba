import type { LedgerRow } from '../../../shared/api/contract.ts';

/** Returns the filter of the access history that selects the entries of a reader; empty for an Offer and the PDA itself. */
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
