import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Page } from './page.tsx';
import { QueryBoundary } from '../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../shared/feedback/states.tsx';

type DeletedQuery = Pick<
  UseInfiniteQueryResult,
  'isPending' | 'isError' | 'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>;

export function LoadMoreButton({ query, children }: { query: DeletedQuery; children: string }) {
  if (!query.hasNextPage) return null;
  return (
    <Button
      mt="md"
      variant="default"
      size="xs"
      loading={query.isFetchingNextPage}
      onClick={() => void query.fetchNextPage()}
    >
      {children}
    </Button>
  );
}

interface DeletedListProps {
  texts: Readonly<Record<'title' | 'text' | 'emptyTitle' | 'emptyText' | 'more', string>>;
  parent: { label: string; to: string };
  query: DeletedQuery;
  /** False if the list is empty or has not loaded yet. */
  hasItems: boolean;
  children: ReactNode;
}

export function DeletedList({ texts, parent, query, hasItems, children }: DeletedListProps) {
  return (
    <Page title={texts.title} lead={texts.text} crumbs={[parent]}>
      <QueryBoundary query={query} />
      {!query.isPending && !query.isError && !hasItems && (
        <EmptyState icon={IconTrash} title={texts.emptyTitle}>
          {texts.emptyText}
        </EmptyState>
      )}
      {hasItems && children}
      <LoadMoreButton query={query}>{texts.more}</LoadMoreButton>
    </Page>
  );
}
