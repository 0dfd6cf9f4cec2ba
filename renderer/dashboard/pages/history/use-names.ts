import { isolateText } from '../../../../server/wire/isolation.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { endpointNameOf } from '../../../../server/wire/display-name.ts';
import { applications, useApplicationName } from '../../api/sharing/access.ts';
import { useFunctionName } from '../../api/functions/queries.ts';
import { endpoints } from '../../api/queries.ts';
import { contracts } from '../../api/sharing/network.ts';
import { debitsQuery } from '../../api/sharing/debits.ts';
import { shareLinks } from '../../api/files/share-links.ts';
import { users } from '../../api/account/users.ts';
import { m } from '../../../shared/messages/texts.ts';
import { consentChangeOf } from './consent-change.ts';
import type { EntryNames } from './reader-text.ts';

export function useEntryNames(): EntryNames {
  const applicationName = useApplicationName();
  const functionName = useFunctionName();
  const debitName = useDebitName();
  const endpointName = useEndpointName();
  const contractName = useContractName();
  const applicationList = useQuery(applications).data;
  const dataDebits = useQuery(debitsQuery).data;
  const permissionsOf = (key: string) =>
    dataDebits?.find(({ debit }) => debit.dataDebitKey === key)?.debit.permissions ?? [];
  return {
    applicationName,
    endpointName,
    contractName,
    functionName,
    consentName: ({ kind, name, detail }) => {
      if (kind === 'application') return applicationName(name);
      if (kind === 'function') return functionName(name);
      if (kind === 'link' || kind === 'user') return isolateText(detail);
      if (['folder', 'collection', 'table', 'chart'].includes(kind)) return isolateText(name);
      return kind === 'debit' ? debitName(name) : contractName(name);
    },
    consentTime: ({ kind, name, detail }) => {
      if (kind === 'application') {
        const key = name.toLowerCase();
        const approval =
          applicationList?.find(({ item }) => item.application.id.toLowerCase() === key)?.approved ?? undefined;
        // If the entry names a version other than the approved one, the time of the consent is unknown.
        return approval !== undefined && (detail === '' || detail === approval.version) ? approval.time : undefined;
      }
      if (kind !== 'debit') return undefined;
      return permissionsOf(name).find(({ permissionId }) => permissionId === detail)?.grantedAt;
    },
    consentChange: ({ kind, name, detail }) =>
      kind === 'debit' ? consentChangeOf(permissionsOf(name), detail) : undefined,
  };
}

function useEndpointName(): (endpoint: string) => string {
  const summaries = useQuery(endpoints).data;
  const names = useMemo(() => new Map(summaries?.map(({ endpoint, name }) => [endpoint, name])), [summaries]);
  return (endpoint) => names.get(endpoint) ?? endpointNameOf(endpoint);
}

function useContractName(): (id: string) => string {
  const list = useQuery(contracts).data;
  return (id) => list?.find(({ contractId }) => contractId === id)?.name ?? id;
}

export function useDebitName(): (key: string) => string {
  const dataDebits = useQuery(debitsQuery).data;
  return (key) =>
    isolateText(dataDebits?.find(({ debit }) => debit.dataDebitKey === key)?.debit.requestClientName ?? key);
}

export function useShareLinkName(): (linkId: string) => string {
  const links = useQuery(shareLinks).data;
  return (linkId) => {
    if (links === undefined) return '…';
    return links.find((link) => link.linkId === linkId)?.name ?? m.history.filter.chip.formerLink;
  };
}

export function usePersonName(): (userId: string) => string {
  const userList = useQuery(users).data;
  return (userId) => {
    if (userList === undefined) return m.history.actors.person;
    return userList.find((user) => user.userId === userId)?.name ?? m.history.filter.chip.formerUser;
  };
}
