import type { ApplicationRights, OwnerApplication, OwnerDebit } from '../../../shared/api/contract.ts';
import { bundleText, plainBundle } from '../../../shared/consent/bundle-text.ts';
import { compare } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath, sharingPath } from '../../navigation.ts';
import { isReadable, mainPermission } from './status-text.ts';

/** Everyone with access to data: requesters with a consent and applications with read rights. */

const words = m.sharing.readers;

export interface ApplicationReader {
  id: string;
  name: string;
  logo: string;
  /** Data that the application may read at any time, as text. */
  accessText: string;
  /** Number of namespaces and file sources that it may read. */
  width: number;
}

function readsText({ actsAsOwner, read, files }: ApplicationRights): string {
  if (actsAsOwner) return words.everything;
  return m.consent.list([
    ...(read.length > 0 ? [words.namespaces(read)] : []),
    ...(files.length > 0 ? [words.files(files)] : []),
  ]);
}

/** Weight of the right to everything, which is wider than any list. */
const EVERYTHING_WIDTH = Number.MAX_SAFE_INTEGER;
/** Weight of an entire endpoint, which is wider than any selection of its fields. */
const ENTIRE_ENDPOINT_WIDTH = 1000;

function rightsWidth({ actsAsOwner, read, files }: ApplicationRights): number {
  return actsAsOwner ? EVERYTHING_WIDTH : read.length + files.length;
}

/**
 * Returns how much a consent shares, for sorting: the number of fields. An entire endpoint counts more
 * than any selection of fields.
 */
export function consentWidth(item: OwnerDebit): number {
  const entries = plainBundle(mainPermission(item).bundle.bundle).flatMap((property) => property.entries);
  return entries.reduce((sum, { fields }) => sum + (fields?.length ?? ENTIRE_ENDPOINT_WIDTH), 0);
}

/** Returns the applications with general read rights, widest rights first. */
export function applicationReaders(applications: readonly OwnerApplication[]): ApplicationReader[] {
  const readers = applications.flatMap(({ item, approved }) => {
    if (!item.setup || !item.enabled || approved === null) return [];
    const accessText = readsText(approved.rights);
    const { id, info } = item.application;
    if (accessText === '') return [];
    return [{ id, name: info.name, logo: info.graphics.logo.normal, accessText, width: rightsWidth(approved.rights) }];
  });
  return readers.toSorted((a, b) => b.width - a.width);
}

export interface Reader {
  key: string;
  name: string;
  accessTexts: string[];
  to: string;
}

/** Lists each reader once, with everything it can read. */
export function collectReaders(debits: readonly OwnerDebit[], applications: readonly OwnerApplication[]): Reader[] {
  const readers = new Map<string, Reader>();
  const add = (id: string, name: string, accessText: string, to: string) => {
    // The key includes the name because one application may request data on behalf of several organisations.
    const key = `${id} ${name}`;
    const existing = readers.get(key);
    if (existing === undefined) readers.set(key, { key, name, accessTexts: [accessText], to });
    else readers.set(key, { ...existing, accessTexts: [...existing.accessTexts, accessText], to: '/sharing' });
  };
  for (const { id, name, accessText } of applicationReaders(applications))
    add(id, name, accessText, applicationPath(id));
  for (const item of debits) {
    if (!isReadable(item)) continue;
    const { dataDebitKey, requestApplicationId = '', requestClientName } = item.debit;
    const { bundle } = mainPermission(item).bundle;
    add(requestApplicationId, requestClientName, bundleText(bundle), sharingPath(dataDebitKey));
  }
  return [...readers.values()].toSorted((a, b) => compare(a.name, b.name));
}
