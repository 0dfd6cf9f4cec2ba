export interface PreviewedPage {
  html: string;
}

const PREVIEW_KEY = 'preview';

/** Returns true for queries that are refreshed when the event stream opens: all except page previews. */
export const isRefreshedOnConnect = ({ queryKey: [first] }: { queryKey: readonly unknown[] }): boolean =>
  first !== PREVIEW_KEY;

/**
 * Query options, without `queryFn`, for a page as others see it. The page is refetched every four minutes, before its
 * file URLs expire, even in a hidden tab. Change events do not refetch it, because new content resets the frame, so the
 * key does not begin with a topic.
 * @param id id of the guest or share link
 */
export const previewQuery = (kind: 'guest' | 'share link', id: string, page: string) => ({
  queryKey: [PREVIEW_KEY, kind, id, page] as const,
  staleTime: 0,
  refetchInterval: 4 * 60_000,
  refetchIntervalInBackground: true,
  refetchOnWindowFocus: false,
  /** Keeps the page while another page of the same guest or share link is loading. */
  placeholderData: (previous: PreviewedPage | undefined, query: { queryKey: readonly unknown[] } | undefined) =>
    query?.queryKey[2] === id ? previous : undefined,
});
