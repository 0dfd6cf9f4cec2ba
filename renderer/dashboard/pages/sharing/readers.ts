import type { ApplicationRights, OwnerApplication, OwnerDebit } from '../../../shared/api/contract.ts';
import { bundleText } from '../../../shared/consent/bundle-text.ts';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath, sharingPath } from '../../navigation.ts';
import { isShared, mainPermission } from './status-text.ts';

/** Everybody who can see something now: by a consent for certain data, or by what an application may read anyway. */

const words = m.sharing.readers;

export interface Reader {
  id: string;
  name: string;
  logo: string;
  /** What it may read at any time. */
  what: string;
}

function readsText({ actsAsOwner, read, files }: ApplicationRights): string {
  if (actsAsOwner) return words.everything;
  return m.consent.list([
    ...(read.length > 0 ? [words.namespaces(read)] : []),
    ...(files.length > 0 ? [words.files(files)] : []),
  ]);
}

/** Applications that are set up and may read without asking for each thing. */
export function readersOf(applications: readonly OwnerApplication[]): Reader[] {
  return applications.flatMap(({ item, approved }) => {
    if (!item.setup || !item.enabled || approved === null) return [];
    const what = readsText(approved.rights);
    const { id, info } = item.application;
    return what === '' ? [] : [{ id, name: info.name, logo: info.graphics.logo.normal, what }];
  });
}

export interface Party {
  key: string;
  name: string;
  sees: string[];
  to: string;
}

/** Each of them once, with all that it can see. */
export function whoSees(debits: readonly OwnerDebit[], applications: readonly OwnerApplication[]): Party[] {
  const parties = new Map<string, Party>();
  const add = (id: string, name: string, what: string, to: string) => {
    // The name too: a program may ask on behalf of several.
    const key = `${id} ${name}`;
    const one = parties.get(key);
    if (one === undefined) parties.set(key, { key, name, sees: [what], to });
    else parties.set(key, { ...one, sees: [...one.sees, what], to: '/sharing' });
  };
  for (const { id, name, what } of readersOf(applications)) add(id, name, what, applicationPath(id));
  for (const item of debits) {
    const permission = mainPermission(item);
    if (!isShared(item) || permission.state === 'scheduled') continue;
    const { dataDebitKey, requestApplicationId = '', requestClientName } = item.debit;
    add(requestApplicationId, requestClientName, bundleText(permission.bundle.bundle), sharingPath(dataDebitKey));
  }
  return [...parties.values()].toSorted((a, b) => a.name.localeCompare(b.name));
}
