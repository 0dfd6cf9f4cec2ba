import type { ProfileField } from '../../../../../server/wire/profile.ts';
import type { OwnerApplication, OwnerContract, OwnerDebit } from '../../../../shared/api/contract.ts';
import { compare } from '../../../../shared/format/format.ts';

/** Readers: everyone with access to data. A party can have several, such as an application that also has a consent. */

/** Access that can be ended. */
export type EndableAccess =
  | { kind: 'person'; userId: string }
  | { kind: 'view'; sharedViewId: string }
  | { kind: 'link'; linkId: string }
  | { kind: 'function'; id: string }
  | { kind: 'public files' }
  | { kind: 'profile'; fields: readonly ProfileField[]; hasBundle: boolean };

/** Confirmation of the end of access. */
export interface StopConfirmation {
  /** Accessible name of the button. */
  label: string;
  title: string;
  text: string;
  keep: string;
  submit: string;
  done: string;
  /** What ends. */
  access: EndableAccess;
}

/** What a reader can see of one source. */
export interface ReaderSource {
  /** `records`: the records of all namespaces. */
  kind: 'endpoint' | 'namespace' | 'records' | 'files' | 'profile';
  /** The endpoint or namespace; otherwise empty. */
  id: string;
  /** Which part of the source, in words. */
  extent: string;
  /** True if it sees entire records or contents of files; false for some fields, or names of files only. */
  isEntire: boolean;
}

interface ReaderBase {
  key: string;
  /** Identifies the person, organisation, link or function that reads. */
  party: string;
  name: string;
  /** What it can see, without a subject: "everything in fitness" or "can open 3 files". */
  access: string;
  /** The same as a sentence. */
  sentence: string;
  /** Where the data comes from that it can see. */
  sources: ReaderSource[];
  until: string;
  /** Path of the page that shows what it can see. */
  to: string;
  /** Number of records and files that it can read now; `Infinity` for everything. */
  width: number;
  /** True if the owner does not know who reads. */
  isAnonymous: boolean;
}

export type Reader = ReaderBase &
  (
    | { kind: 'consent'; item: OwnerDebit }
    | { kind: 'application'; application: OwnerApplication }
    | { kind: 'contract'; contract: OwnerContract }
    | { kind: 'person' | 'table' | 'chart'; userId: string; stop: StopConfirmation }
    | { kind: 'function'; functionId: string; stop: StopConfirmation }
    | { kind: 'link'; linkId: string; stop: StopConfirmation }
    | { kind: 'public'; stop: StopConfirmation }
  );

export type ReaderKind = Reader['kind'];

/** Compares readers by width, the widest first. If equal, anonymous readers come first, then the order is by name. */
export function compareReaders(a: Reader, b: Reader): number {
  // The difference of two infinite widths is no number.
  if (a.width !== b.width) return a.width > b.width ? -1 : 1;
  return Number(b.isAnonymous) - Number(a.isAnonymous) || compare(a.name, b.name);
}

/** A party with everything that it can see. */
export interface Party {
  key: string;
  name: string;
  accessTexts: string[];
  /** Path of the page that shows what it can see. */
  to: string;
}

/** Lists each party once, in the order of its widest reader. */
export function groupByParty(readers: readonly Reader[]): Party[] {
  const parties = new Map<string, Party>();
  for (const { party, name, access, to } of readers) {
    const existing = parties.get(party);
    if (existing === undefined) parties.set(party, { key: party, name, accessTexts: [access], to });
    else parties.set(party, { ...existing, accessTexts: [...existing.accessTexts, access], to: '/sharing' });
  }
  return [...parties.values()];
}

/** Returns the number of parties with separate access, and whether some data is public. */
export function summariseReaders(readers: readonly Reader[]): { parties: number; isPublic: boolean } {
  const own = readers.filter(({ kind }) => kind !== 'public');
  return { parties: new Set(own.map(({ party }) => party)).size, isPublic: own.length < readers.length };
}
