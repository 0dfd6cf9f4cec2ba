import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import type { UseInfiniteQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Page } from './page.tsx';
import { Empty, Failed, Loading } from './states.tsx';

type Found = Pick<
  UseInfiniteQueryResult,
  'isPending' | 'isError' | 'error' | 'refetch' | 'hasNextPage' | 'isFetchingNextPage' | 'fetchNextPage'
>;

/** Button below a list that loads its next page; nothing when there is none. */
export function MoreButton({ found, children }: { found: Found; children: string }) {
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
  found: Found;
  /** False when nothing was deleted, or nothing has loaded yet. */
  hasItems: boolean;
  /** The list. */
  children: ReactNode;
}

/** Page "Recently deleted", of records or of files. */
export function DeletedList({ words, parent, found, hasItems, children }: DeletedListProps) {
  return (
    <Page title={words.title} windowTitle={words.title} lead={words.text} crumbs={[parent]}>
      {found.isPending && <Loading />}
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {!found.isPending && !found.isError && !hasItems && (
        <Empty icon={IconTrash} title={words.emptyTitle}>
          {words.emptyText}
        </Empty>
      )}
      {hasItems && children}
      <MoreButton found={found}>{words.more}</MoreButton>
    </Page>
  );
}
