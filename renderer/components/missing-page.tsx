import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import { isNotFound } from '../api/problem.ts';
import { type Crumb, Page } from './page.tsx';
import { Failed, Loading } from './states.tsx';

interface MissingPageProps {
  error: unknown;
  retry: () => void;
  /** Where all of its kind are. */
  all: Crumb;
  words: { pageTitle: string; gone: { title: string; text: string; all: string } };
}

/** A page about one thing while it is loading, or when there is none of that name. */
export function MissingPage({ error, retry, all, words: { pageTitle, gone } }: MissingPageProps) {
  const isGone = error !== null && isNotFound(error);
  return (
    <Page title={isGone ? gone.title : pageTitle} windowTitle={pageTitle} crumbs={[all]}>
      {error === null && <Loading rows={6} height={28} />}
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
      {error !== null && !isGone && <Failed error={error} retry={retry} />}
    </Page>
  );
}
