import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ListEnd } from '../../shared/components/list-end.tsx';
import { LoadError, LoadingSkeleton } from '../../shared/feedback/states.tsx';
import { messages } from '../messages/texts.ts';

/** The part of an infinite query that a list needs. */
interface Pages<Item> {
  items: readonly Item[] | undefined;
  error: unknown;
  more: boolean;
  busy: boolean;
  load: () => void;
  retry: () => void;
}

type InfiniteQuery<Item> = Pick<
  UseInfiniteQueryResult<{ pages: readonly (readonly Item[])[] }>,
  'data' | 'error' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage' | 'refetch'
>;

export function toPages<Item>(query: InfiniteQuery<Item>): Pages<Item> {
  return {
    items: query.data?.pages.flat(),
    error: query.error,
    more: query.hasNextPage,
    busy: query.isFetchingNextPage,
    load: () => void query.fetchNextPage(),
    retry: () => void query.refetch(),
  };
}

interface InfiniteListProps<Item> {
  pages: Pages<Item>;
  none: ReactNode;
  one: string;
  other: string;
  children: (items: readonly Item[]) => ReactNode;
}

/** A list that loads its next page when its end comes into view. */
export function InfiniteList<Item>({ pages, none, one, other, children }: InfiniteListProps<Item>) {
  const { items, error, more, busy, load, retry } = pages;
  if (items === undefined)
    return error === null ? <LoadingSkeleton rows={6} height={40} /> : <LoadError error={error} retry={retry} />;
  if (items.length === 0 && !more) return none;
  return (
    <>
      {children(items)}
      {/* Short lists need no end marker. */}
      {(more || items.length > 20) && (
        <ListEnd
          hasMore={more}
          isLoading={busy}
          loadMore={load}
          words={messages.list}
          end={messages.list.end(items.length, one, other)}
        />
      )}
    </>
  );
}
