import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import { asProblem } from '../../api/problem.ts';
import { Page } from '../../components/page.tsx';
import { Failed, Loading } from '../../components/states.tsx';
import { m } from '../../messages/en.ts';

const words = m.functions;

export const crumbs = [{ label: words.pageTitle, to: '/functions' }];

/** While a function is loading, or when there is none of that name. */
export function NotHere({ error, retry }: { error: unknown; retry: () => void }) {
  const gone = error !== null && asProblem(error).status === 404;
  return (
    <Page title={gone ? words.gone.title : words.pageTitle} windowTitle={words.pageTitle} crumbs={crumbs}>
      {error === null && <Loading rows={6} height={28} />}
      {gone && (
        <>
          <Text size="sm" c="dimmed">
            {words.gone.text}
          </Text>
          <Button component={Link} to="/functions" variant="default" mt="md">
            {words.gone.all}
          </Button>
        </>
      )}
      {error !== null && !gone && <Failed error={error} retry={retry} />}
    </Page>
  );
}
