export interface PreviewedPage {
  html: string;
}

const PREVIEW_KEY = 'preview';

/** Returns true for queries that are refreshed when the stream of changes opens: all except previews. */
export const isRefreshedLive = ({ queryKey: [first] }: { queryKey: readonly unknown[] }): boolean =>
  first !== PREVIEW_KEY;

/**
 * Returns the query of a page as others see it, apart from its request. The page is requested when it is opened, and
 * then only before the addresses of files in it expire, after at least four minutes, also in a hidden tab. Changes do
 * not refresh it, because a new page resets the frame that shows it: the key begins with none of their topics. Only the
 * page of a share link is requested again when its link ends or can be opened again.
 * @param id guest or share link
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
