import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import { isNotFound } from '../../shared/api/problem.ts';
import { type Crumb, Page } from './page.tsx';
import { LoadError, LoadingSkeleton } from '../../shared/feedback/states.tsx';

interface MissingPageProps {
  error: unknown;
  retry: () => void;
  /** Where all of its kind are. */
  all: Crumb;
  words: { pageTitle: string; gone: { title: string; text: string; all: string } };
}

/** A page about one thing while it is loading, or when there is none of that name. */
export function MissingItemPage({ error, retry, all, words: { pageTitle, gone } }: MissingPageProps) {
  const isGone = error !== null && isNotFound(error);
  return (
    <Page title={isGone ? gone.title : pageTitle} windowTitle={pageTitle} crumbs={[all]}>
      {error === null && <LoadingSkeleton rows={6} height={28} />}
      {isGone && (
        <>
          <Text size="sm" c="dimmed">
            {gone.text}
          </Text>
          <Button component={Link} to={all.to} variant="default" mt="md">
            {gone.all}
          </Button>
        </>
      )}
      {error !== null && !isGone && <LoadError error={error} retry={retry} />}
    </Page>
  );
}
