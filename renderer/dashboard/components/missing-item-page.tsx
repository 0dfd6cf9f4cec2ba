import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import { isNotFound } from '../../shared/api/problem.ts';
import { type Crumb, Page } from './page.tsx';
import { LoadError, LoadingSkeleton } from '../../shared/feedback/states.tsx';

interface MissingItemPageProps {
  error: unknown;
  retry: () => void;
  list: Crumb;
  texts: { pageTitle: string; notFound: { title: string; text: string; all: string } };
}

/** Page of an item that is loading, failed to load or does not exist. */
export function MissingItemPage({ error, retry, list, texts: { pageTitle, notFound } }: MissingItemPageProps) {
  const isGone = error !== null && isNotFound(error);
  return (
    <Page title={isGone ? notFound.title : pageTitle} windowTitle={pageTitle} crumbs={[list]}>
      {error === null && <LoadingSkeleton rows={6} height={28} />}
      {isGone && (
        <>
          <Text c="dimmed">{notFound.text}</Text>
          <Button component={Link} to={list.to} variant="default" mt="md">
            {notFound.all}
          </Button>
        </>
      )}
      {error !== null && !isGone && <LoadError error={error} retry={retry} />}
    </Page>
  );
}
