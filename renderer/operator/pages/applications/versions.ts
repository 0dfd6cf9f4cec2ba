import { useQuery } from '@tanstack/react-query';
import type { Application } from '../../../../server/wire/applications.ts';
import { type ListedApplication, call } from '../../api/client.ts';

/** Returns the version that was published last; undefined if none was published. */
export const publishedVersionOf = ({ versions }: Pick<ListedApplication, 'versions'>): string | undefined =>
  versions.findLast(({ published }) => published !== null)?.version;

/**
 * Returns the published version if the newest one differs and the application is not suspended; undefined otherwise
 * and until it is loaded.
 */
export function usePublishedVersion({ application, state, versions }: ListedApplication): Application | undefined {
  const publishedVersion = publishedVersionOf({ versions });
  const { id } = application;
  const hasOlderVersion =
    publishedVersion !== undefined && publishedVersion !== application.info.version && state !== 'suspended';
  const { data: publishedApplication } = useQuery({
    queryKey: ['applications', 'public', id, publishedVersion],
    queryFn: ({ signal }) => call('GET /api/v2/applications/:id', { params: { id } }, signal),
    enabled: hasOlderVersion,
    // The request fails if the earlier version is suspended, and then there is no published version to compare with.
    retry: false,
  });
  return hasOlderVersion ? publishedApplication : undefined;
}
