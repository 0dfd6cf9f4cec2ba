import { useQuery } from '@tanstack/react-query';
import type { Application } from '../../../../server/wire/applications.ts';
import { type ListedApplication, call } from '../../api/client.ts';

/** Returns the highest version that has ever been published; undefined if there is none. */
export const publishedVersionOf = ({ versions }: Pick<ListedApplication, 'versions'>): string | undefined =>
  versions.findLast(({ published }) => published !== null)?.version;

/**
 * Returns the published version of an application that has a newer version. Returns undefined if there is no newer
 * version, if the application is suspended, or while the published version is not loaded.
 */
export function usePublishedVersion({ application, state, versions }: ListedApplication): Application | undefined {
  const publishedVersion = publishedVersionOf({ versions });
  const { id } = application;
  const hasNewerVersion =
    publishedVersion !== undefined && publishedVersion !== application.info.version && state !== 'suspended';
  const { data: publishedApplication } = useQuery({
    queryKey: ['applications', 'public', id, publishedVersion],
    queryFn: ({ signal }) => call('GET /api/v2/applications/:id', { params: { id } }, signal),
    enabled: hasNewerVersion,
    // The request fails if the published version is suspended. A retry would fail too.
    retry: false,
  });
  return hasNewerVersion ? publishedApplication : undefined;
}
