import { Button, Text, Title } from '@mantine/core';
import { m } from '../messages/texts.ts';

/** Shown when a page throws. */
export function ErrorPage() {
  return (
    <main style={{ maxWidth: '34rem', padding: '2.5rem' }} role="alert">
      <Title order={1}>{m.shell.crash.title}</Title>
      <Text size="md" my="md">
        {m.shell.crash.text}
      </Text>
      <Button onClick={() => location.reload()}>{m.shell.crash.reload}</Button>
    </main>
  );
}
