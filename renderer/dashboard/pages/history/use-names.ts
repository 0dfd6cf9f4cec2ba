import { isolated } from '../../../../server/wire/isolation.ts';
import { useQuery } from '@tanstack/react-query';
import { applications, useApplicationName } from '../../api/sharing/access.ts';
import { debits } from '../../api/sharing/debits.ts';
import { users } from '../../api/account/users.ts';
import { m } from '../../../shared/messages/texts.ts';
import type { EntryNames } from './entry-text.ts';

/** Names of applications and days of consents, as far as they are known. */
export function useKnown(): EntryNames {
  const applicationName = useApplicationName();
  const apps = useQuery(applications).data;
  const agreed = useQuery(debits).data;
  return {
    applicationName,
    consentGiven: ({ kind, name, detail }) => {
      if (kind === 'application') {
        const key = name.toLowerCase();
        const found = apps?.find(({ item }) => item.application.id.toLowerCase() === key)?.approved ?? undefined;
        // Another version was another consent: its day is not known any more.
        return found !== undefined && (detail === '' || detail === found.version) ? found.time : undefined;
      }
      if (kind === 'contract' || kind === 'function') return undefined;
      const permissions = agreed?.find(({ debit }) => debit.dataDebitKey === name)?.debit.permissions;
      return permissions?.find(({ permissionId }) => permissionId === detail)?.grantedAt;
    },
  };
}

/** Display name of a Data Debit, by its requester; its key while that is unknown. */
export function useDebitName(): (key: string) => string {
  const agreed = useQuery(debits).data;
  return (key) => isolated(agreed?.find(({ debit }) => debit.dataDebitKey === key)?.debit.requestClientName ?? key);
}

/** What a person is called by now, of whom the address has the id only. */
export function usePersonName(): (userId: string) => string {
  const known = useQuery(users).data;
  return (userId) => {
    if (known === undefined) return m.history.who.person;
    return known.find((one) => one.userId === userId)?.name ?? m.history.filter.chip.formerUser;
  };
}
