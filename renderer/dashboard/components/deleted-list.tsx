import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Page } from './page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../shared/feedback/states.tsx';

type DeletedQuery = Pick<
  UseInfiniteQueryResult,
  'isPending' | 'isError' | 'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>;

/** Button below a list that loads its next page; nothing when there is none. */
export function LoadMoreButton({ found, children }: { found: DeletedQuery; children: string }) {
  if (!found.hasNextPage) return null;
  return (
    <Button
      mt="md"
      variant="default"
      size="xs"
      loading={found.isFetchingNextPage}
      onClick={() => void found.fetchNextPage()}
    >
      {children}
    </Button>
  );
}

interface DeletedListProps {
  words: Readonly<Record<'title' | 'text' | 'emptyTitle' | 'emptyText' | 'more', string>>;
  /** The page above. */
  parent: { label: string; to: string };
  query: DeletedQuery;
  /** False when nothing was deleted, or nothing has loaded yet. */
  hasItems: boolean;
  /** The list. */
  children: ReactNode;
}

/** Page "Recently deleted", of records or of files. */
export function DeletedList({ words, parent, query, hasItems, children }: DeletedListProps) {
  return (
    <Page title={words.title} windowTitle={words.title} lead={words.text} crumbs={[parent]}>
      {query.isPending && <LoadingSkeleton />}
      {query.isError && <LoadError error={query.error} retry={() => void query.refetch()} />}
      {!query.isPending && !query.isError && !hasItems && (
        <EmptyState icon={IconTrash} title={words.emptyTitle}>
          {words.emptyText}
        </EmptyState>
      )}
      {hasItems && children}
      <LoadMoreButton found={query}>{words.more}</LoadMoreButton>
    </Page>
  );
}
