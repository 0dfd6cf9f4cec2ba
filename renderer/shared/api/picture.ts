import { queryOptions } from '@tanstack/react-query';
import { fetchAuthorised } from './client.ts';

/**
 * Fetches a third-party picture through the PDA, so that the host does not learn the reader's IP address. Cached until
 * the window is closed.
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
