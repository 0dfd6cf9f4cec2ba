import { Button, Text } from '@mantine/core';
import { Link } from 'react-router';
import { messages } from '../messages/texts.ts';
import { Page } from './page.tsx';

interface MessagePageProps {
  title: string;
  text: string;
  back?: { to: string; label: string };
}

const HOME_LINK = { to: '/', label: messages.home };

export function MessagePage({ title, text, back = HOME_LINK }: MessagePageProps) {
  return (
    <Page title={title}>
      <Text c="dimmed">{text}</Text>
      <Button component={Link} to={back.to} variant="default" mt="md">
        {back.label}
      </Button>
    </Page>
  );
}
