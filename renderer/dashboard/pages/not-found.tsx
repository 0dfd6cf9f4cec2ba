import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../components/page.tsx';
import { m } from '../../shared/messages/texts.ts';

export function NotFound() {
  const words = m.shell.notFound;
  return (
    <Page title={words.title} lead={words.text}>
      <Button component={Link} to="/" variant="default">
        {words.home}
      </Button>
    </Page>
  );
}
