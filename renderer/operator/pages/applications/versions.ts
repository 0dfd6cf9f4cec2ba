import { useQuery } from '@tanstack/react-query';
import type { Application } from '../../../../server/wire/applications.ts';
import { type ListedApplication, call } from '../../api/client.ts';

/** The version that PDAs read or read last; undefined when there never was one. */
export const publicVersionOf = ({ versions }: Pick<ListedApplication, 'versions'>): string | undefined =>
  versions.findLast(({ published }) => published !== null)?.version;

/** What is public at this moment, where the newest version is another: what is new is new against that. */
export function usePublicVersion({ application, state, versions }: ListedApplication): Application | undefined {
  const before = publicVersionOf({ versions });
  const { id } = application;
  const isWanted = before !== undefined && before !== application.info.version && state !== 'suspended';
  const { data } = useQuery({
    queryKey: ['applications', 'public', id, before],
    queryFn: ({ signal }) => call('GET /api/v2/applications/:id', { params: { id } }, signal),
    enabled: isWanted,
    // One whose earlier version is suspended has nothing public: all of it counts as new.
    retry: false,
  });
  return isWanted ? data : undefined;
}
