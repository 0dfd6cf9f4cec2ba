import type { ProfileField } from '../../../../../server/wire/profile.ts';
import type { OwnerApplication, OwnerContract, OwnerDebit } from '../../../../shared/api/contract.ts';
import { compare } from '../../../../shared/format/format.ts';

export type EndableAccess =
  | { kind: 'person'; userId: string }
  | { kind: 'view'; sharedViewId: string }
  | { kind: 'link'; linkId: string }
  | { kind: 'function'; id: string }
  | { kind: 'public files' }
  | { kind: 'profile'; fields: readonly ProfileField[]; hasBundle: boolean };

export interface StopConfirmation {
  /** Accessible name of the stop button. */
  label: string;
  title: string;
  text: string;
  keep: string;
  submit: string;
  done: string;
  access: EndableAccess;
}

export interface ReaderSource {
  /** `records`: all namespaces. */
  kind: 'endpoint' | 'namespace' | 'records' | 'files' | 'profile';
  /** The endpoint or namespace; empty for other kinds. */
  id: string;
  /** Visible part of the source, in words. */
  extent: string;
  /** True for entire records or file contents; false for some fields, or only file names. */
  isEntire: boolean;
}

interface ReaderBase {
  key: string;
  /** Key of the recipient: a person, organisation, link, function, the public files or the profile. */
  recipientKey: string;
  name: string;
  /** Phrase that is not capitalised, such as "all your records" or "can open 3 files". */
  accessText: string;
  sentence: string;
  sources: ReaderSource[];
  /** Phrase such as "until 3 May, then it ends". */
  endText: string;
  to: string;
  /** Upper bound on the number of readable records and files; `Infinity` for everything. */
  maxItems: number;
  /** True if the owner cannot know who reads. */
  isAnonymous: boolean;
}

/** One way in which a recipient accesses data. For example, an application with a consent is two readers. */
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

/** Compares readers: the widest access first, then anonymous readers, then by name. */
export function compareReaders(a: Reader, b: Reader): number {
  // The difference of two infinite numbers is NaN.
  if (a.maxItems !== b.maxItems) return a.maxItems > b.maxItems ? -1 : 1;
  return Number(b.isAnonymous) - Number(a.isAnonymous) || compare(a.name, b.name);
}

interface Recipient {
  key: string;
  name: string;
  accessTexts: string[];
  to: string;
}

/** Lists each recipient once, in the order of the readers. */
export function groupByRecipient(readers: readonly Reader[]): Recipient[] {
  const recipients = new Map<string, Recipient>();
  for (const { recipientKey: key, name, accessText, to } of readers) {
    const existing = recipients.get(key);
    if (existing === undefined) recipients.set(key, { key, name, accessTexts: [accessText], to });
    else recipients.set(key, { ...existing, accessTexts: [...existing.accessTexts, accessText], to: '/sharing' });
  }
  return [...recipients.values()];
}

export function summariseReaders(readers: readonly Reader[]): { recipientCount: number; isPublic: boolean } {
  const nonPublicReaders = readers.filter(({ kind }) => kind !== 'public');
  return {
    recipientCount: new Set(nonPublicReaders.map(({ recipientKey }) => recipientKey)).size,
    isPublic: nonPublicReaders.length < readers.length,
  };
}
