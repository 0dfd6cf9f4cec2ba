import { useQuery } from '@tanstack/react-query';
import { profile } from '../../../api/account/profile.ts';
import { users } from '../../../api/account/users.ts';
import { fileReaders, fileSummary } from '../../../api/files/queries.ts';
import { shareLinks } from '../../../api/files/share-links.ts';
import { functions } from '../../../api/functions/queries.ts';
import { endpoints } from '../../../api/queries.ts';
import { sharedViews } from '../../../api/shared-views.ts';
import { applications } from '../../../api/sharing/access.ts';
import { debitsQuery } from '../../../api/sharing/debits.ts';
import { contracts } from '../../../api/sharing/network.ts';
import { useDataNames } from '../../../consent/use-data-names.ts';
import { collectReaders } from './collect-readers.ts';
import type { Reader } from './reader.ts';

interface Readers {
  /** Readers with the widest access first. Incomplete while `isPending`, or if `error` is set. */
  readers: Reader[];
  isPending: boolean;
  error: Error | null;
  retry: () => void;
}

export function useReaders(now: Date): Readers {
  const queries = {
    debits: useQuery(debitsQuery),
    applications: useQuery(applications),
    contracts: useQuery(contracts),
    functions: useQuery(functions),
    people: useQuery(fileReaders),
    users: useQuery(users),
    views: useQuery(sharedViews),
    links: useQuery(shareLinks),
    profile: useQuery(profile),
    files: useQuery(fileSummary),
    endpoints: useQuery(endpoints),
  };
  const names = useDataNames();
  const queryList = Object.values(queries);
  const failedQueries = queryList.filter(({ isError }) => isError);
  const state = {
    debits: queries.debits.data,
    applications: queries.applications.data,
    contracts: queries.contracts.data,
    functions: queries.functions.data,
    people: queries.people.data,
    users: queries.users.data,
    views: queries.views.data,
    links: queries.links.data,
    profile: queries.profile.data,
    files: queries.files.data,
    endpoints: queries.endpoints.data,
  };
  return {
    readers: collectReaders(state, now, names),
    isPending: queryList.some(({ isPending }) => isPending),
    error: failedQueries[0]?.error ?? null,
    retry: () => {
      for (const { refetch } of failedQueries) void refetch();
    },
  };
}
