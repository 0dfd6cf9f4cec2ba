import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ListEnd } from '../../shared/components/list-end.tsx';
import { LoadError, LoadingSkeleton } from '../../shared/feedback/states.tsx';
import { messages } from '../messages/texts.ts';

interface ItemList<Item> {
  items: readonly Item[] | undefined;
  error: unknown;
  hasMore: boolean;
  isLoadingMore: boolean;
  loadMore: () => void;
  retry: () => void;
}

type InfiniteQuery<Item> = Pick<
  UseInfiniteQueryResult<{ pages: readonly (readonly Item[])[] }>,
  'data' | 'error' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage' | 'refetch'
>;

export function toItemList<Item>(query: InfiniteQuery<Item>): ItemList<Item> {
  return {
    items: query.data?.pages.flat(),
    error: query.error,
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    loadMore: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}

/** Shorter lists have no end marker. */
const END_MARKER_MIN_ITEMS = 21;

interface InfiniteListProps<Item> {
  list: ItemList<Item>;
  emptyState: ReactNode;
  singular: string;
  plural: string;
  children: (items: readonly Item[]) => ReactNode;
}

export function InfiniteList<Item>({ list, emptyState, singular, plural, children }: InfiniteListProps<Item>) {
  const { items, error, hasMore, isLoadingMore, loadMore, retry } = list;
  if (items === undefined)
    return error === null ? <LoadingSkeleton rows={6} height={40} /> : <LoadError error={error} retry={retry} />;
  if (items.length === 0 && !hasMore) return emptyState;
  return (
    <>
      {children(items)}
      {error !== null && <LoadError error={error} retry={retry} />}
      {(hasMore || items.length >= END_MARKER_MIN_ITEMS) && (
        <ListEnd
          hasMore={hasMore}
          isLoading={isLoadingMore}
          hasFailed={error !== null}
          loadMore={loadMore}
          texts={messages.list}
          endText={messages.list.end(items.length, singular, plural)}
        />
      )}
    </>
  );
}
