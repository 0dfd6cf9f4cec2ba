import type { LedgerRow } from '../../../shared/api/contract.ts';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { m } from '../../../shared/messages/texts.ts';
import type { ConsentChange } from './consent-change.ts';

const texts = m.history;

/** Lookups for data that entries do not contain: current names, and times and changes of consents. */
export interface EntryNames {
  endpointName: (endpoint: string) => string;
  contractName: (id: string) => string;
  functionName: (id: string) => string;
  consentName: (consent: NonNullable<LedgerRow['consent']>) => string;
  applicationName: (id: string) => string;
  /** Returns an ISO 8601 time; undefined if it is unknown. */
  consentTime: (consent: NonNullable<LedgerRow['consent']>) => string | undefined;
  /** Returns undefined if the change is unknown, or did not reduce the consent. */
  consentChange: (consent: NonNullable<LedgerRow['consent']>) => ConsentChange | undefined;
}

const UUID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/iu;

/** Returns a name for display; the fallback if the name is empty or contains a UUID. */
export function readableName(name: string, fallback: string): string {
  return name === '' || UUID.test(name) ? fallback : isolateText(name);
}

export function personName(name: string): string {
  return readableName(name, texts.aPerson);
}

/** Returns a reader's name for lists and charts. For sentences, use `readerText`. */
export function readerName(who: LedgerRow['who'], names: EntryNames): string {
  const { actors } = texts;
  switch (who.kind) {
    case 'application':
      return readableName(names.applicationName(who.name), actors.application);
    case 'contract': {
      const name = names.contractName(who.name);
      return name === who.name ? actors.contract(readableName(name, '').trim()) : isolateText(name);
    }
    case 'exchange':
      return actors.exchange;
    case 'offer':
      return actors.offer(readableName(who.name, '').trim());
    case 'function':
      return actors.function(readableName(names.functionName(who.name), '').trim());
    case 'user':
      return readableName(who.person ?? '', actors.person);
    case 'owner':
      return actors.you;
    case 'pda':
      return actors.pda;
    case 'visitor':
      return actors.anonymousMany;
  }
}

export function readerText(row: LedgerRow, names: EntryNames): string {
  const { who, count, consent } = row;
  if (who.kind !== 'owner' && consent?.kind === 'link') return texts.actors.link(isolateText(consent.detail));
  switch (who.kind) {
    case 'user':
      return (who.person ?? '') === '' ? texts.actors.person : texts.actors.guest(isolateText(who.person ?? ''));
    case 'application':
    case 'contract':
    case 'exchange':
    case 'offer':
    case 'function':
      return readerName(who, names);
    case 'owner':
      return texts.actors.you;
    case 'pda':
      return consent === null
        ? texts.actors.pda
        : texts.actors.sharing(readableName(names.consentName(consent), texts.aRecipient));
    case 'visitor':
      return count > 1 ? texts.actors.anonymousMany : texts.actors.anonymous;
  }
}
