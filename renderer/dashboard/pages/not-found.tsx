import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { Page } from '../components/page.tsx';
import { m } from '../../shared/messages/texts.ts';

export function NotFound() {
  const texts = m.shell.notFound;
  return (
    <Page title={texts.title} lead={texts.text}>
      <Button component={Link} to="/" variant="default">
        {texts.home}
      </Button>
    </Page>
  );
}
