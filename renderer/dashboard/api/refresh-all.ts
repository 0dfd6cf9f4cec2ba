import type { QueryClient } from '@tanstack/react-query';

/** First element of the keys of previews, see `previewQuery`. */
const PREVIEW_KEY = 'preview';

/**
 * Refetches everything when the connection for live changes opens: its stream does not report changes from before, and
 * results that were fetched in the meantime may be stale. Previews stay, because a new page resets the frame that shows
 * it; in a new tab, each would be read twice.
 */
export function refreshAll(client: Pick<QueryClient, 'invalidateQueries'>): Promise<void> {
  return client.invalidateQueries({
    predicate: ({ queryKey: [first] }) => first !== PREVIEW_KEY,
  });
}
