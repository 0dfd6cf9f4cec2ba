export interface PreviewedPage {
  html: string;
}

const PREVIEW_KEY = 'preview';

/** Returns true for queries of pages as others see them. */
export const isPreview = ({ queryKey: [first] }: { queryKey: readonly unknown[] }): boolean => first === PREVIEW_KEY;

/**
 * Query options for a page as others see it, without the request. The page is requested when it is opened, and then
 * only before its file URLs expire, after at least four minutes, also in a hidden tab. Changes do not refetch it,
 * because a new page resets its frame: the key begins with none of their topics.
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
