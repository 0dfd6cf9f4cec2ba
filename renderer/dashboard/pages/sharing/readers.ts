import type { ApplicationRights, OwnerApplication, OwnerDebit } from '../../../shared/api/contract.ts';
import { bundleText } from '../../../shared/consent/bundle-text.ts';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath, sharingPath } from '../../navigation.ts';
import { isShared, mainPermission } from './status-text.ts';

/** Everyone with access to data: requesters with a consent and applications with read rights. */

const words = m.sharing.readers;

export interface Reader {
  id: string;
  name: string;
  logo: string;
  /** Data that the application may read at any time, as text. */
  what: string;
}

function readsText({ actsAsOwner, read, files }: ApplicationRights): string {
  if (actsAsOwner) return words.everything;
  return m.consent.list([
    ...(read.length > 0 ? [words.namespaces(read)] : []),
    ...(files.length > 0 ? [words.files(files)] : []),
  ]);
}

/** Returns the set-up applications with general read rights. */
export function readersOf(applications: readonly OwnerApplication[]): Reader[] {
  return applications.flatMap(({ item, approved }) => {
    if (!item.setup || !item.enabled || approved === null) return [];
    const what = readsText(approved.rights);
    const { id, info } = item.application;
    return what === '' ? [] : [{ id, name: info.name, logo: info.graphics.logo.normal, what }];
  });
}

export interface DataReader {
  key: string;
  name: string;
  sees: string[];
  to: string;
}

/** Lists each reader once, with everything it can read. */
export function collectReaders(debits: readonly OwnerDebit[], applications: readonly OwnerApplication[]): DataReader[] {
  const readers = new Map<string, DataReader>();
  const add = (id: string, name: string, what: string, to: string) => {
    // The key includes the name because one application may request data on behalf of several organisations.
    const key = `${id} ${name}`;
    const existing = readers.get(key);
    if (existing === undefined) readers.set(key, { key, name, sees: [what], to });
    else readers.set(key, { ...existing, sees: [...existing.sees, what], to: '/sharing' });
  };
  for (const { id, name, what } of readersOf(applications)) add(id, name, what, applicationPath(id));
  for (const item of debits) {
    const permission = mainPermission(item);
    if (!isShared(item) || permission.state === 'scheduled') continue;
    const { dataDebitKey, requestApplicationId = '', requestClientName } = item.debit;
    add(requestApplicationId, requestClientName, bundleText(permission.bundle.bundle), sharingPath(dataDebitKey));
  }
  return [...readers.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}
