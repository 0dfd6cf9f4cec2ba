import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import { messages } from '../messages/texts.ts';
import { Page } from './page.tsx';

interface MessagePageProps {
  title: string;
  text: string;
  back?: { to: string; label: string };
}

const HOME = { to: '/', label: messages.home };

/** A page with one message and a link. */
export function MessagePage({ title, text, back = HOME }: MessagePageProps) {
  return (
    <Page title={title}>
      <Text size="sm" c="dimmed">
        {text}
      </Text>
      <Button component={Link} to={back.to} variant="default" mt="md">
        {back.label}
      </Button>
    </Page>
  );
}
