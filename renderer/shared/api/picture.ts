import { queryOptions } from '@tanstack/react-query';
import { fetchAuthorised } from './client.ts';

/**
 * Creates a query for a third-party picture. The PDA fetches it, so that the browser sends nothing to the picture's
 * host. The picture is cached until the owner signs out, or the page is closed or reloaded.
 */
export const pictureQuery = (url: string) =>
  queryOptions({
    queryKey: ['picture', url],
    queryFn: async ({ signal }) => {
      const response = await fetchAuthorised(`/api/v2.6/owner/picture?url=${encodeURIComponent(url)}`, { signal });
      return URL.createObjectURL(await response.blob());
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: Number.POSITIVE_INFINITY,
    retry: false,
    refetchOnWindowFocus: false,
  });
