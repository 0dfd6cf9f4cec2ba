import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMailCheck } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { outbox } from '../../api/sharing/access.ts';
import { call } from '../../../shared/api/client.ts';
import type { OutboxMessage } from '../../../shared/api/contract.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { showToast, runWithToast } from '../../../shared/feedback/toasts.tsx';
import { Page, Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './messages-page.module.css';
import { ActionButton } from '../../../shared/feedback/action-button.tsx';

const texts = m.history.messages;

export function MessagesPage() {
  const result = useQuery(outbox);
  const deadMessages = (result.data ?? []).filter(({ state }) => state === 'dead');
  const waitingMessages = (result.data ?? []).filter(({ state }) => state === 'waiting');
  return (
    <Page
      title={texts.pageTitle}
      lead={(result.data ?? []).length > 0 ? texts.leadUndelivered : texts.lead}
      crumbs={[{ label: m.history.pageTitle, to: '/history' }]}
    >
      <QueryBoundary query={result} rows={4} height={32} />
      {result.data !== undefined && result.data.length === 0 && (
        <EmptyState icon={IconMailCheck} title={texts.empty}>
          {texts.emptyText}
        </EmptyState>
      )}
      {deadMessages.length > 0 && (
        <Messages title={texts.undeliveredTitle} hint={texts.undeliveredHint} messages={deadMessages} />
      )}
      {waitingMessages.length > 0 && (
        <Messages title={texts.waitingTitle} hint={texts.waitingHint} messages={waitingMessages} />
      )}
      {result.data !== undefined && result.data.length > 0 && (
        <Text c="dimmed" mt="xl">
          {texts.contentHint}
        </Text>
      )}
    </Page>
  );
}

function Messages({ title, hint, messages }: { title: string; hint: string; messages: readonly OutboxMessage[] }) {
  return (
    <Section title={title} text={hint}>
      <ul className={classes.list}>
        {messages.map((message) => (
          <WebhookRow key={message.id} message={message} />
        ))}
      </ul>
    </Section>
  );
}

const refreshOutbox = () => queryClient.invalidateQueries({ queryKey: outbox.queryKey });

function WebhookRow({ message }: { message: OutboxMessage }) {
  const [isConfirming, dialog] = useDisclosure(false);
  const { id, event, to, orderingKey, state, attempts, created, nextAttempt, lastProblem } = message;
  const eventText = texts.events[event] ?? event;
  const retry = async () => {
    await runWithToast(async () => {
      await call('POST /api/v2.6/owner/outbox/:id/retry', { params: { id } });
      showToast(texts.retried);
    });
    await refreshOutbox();
  };
  const discard = async () => {
    await call('DELETE /api/v2.6/owner/outbox/:id', { params: { id } });
    showToast(texts.discarded);
    void refreshOutbox();
  };
  return (
    <li data-state={state}>
      <div className={classes.message}>
        <strong>
          {eventText}, {texts.to(to)}
        </strong>
        <span>
          {texts.about(orderingKey)} · {texts.queued} <RelativeTime at={created} /> · {texts.attempts(attempts)}
          {nextAttempt !== null && (
            <>
              {' '}
              · {texts.nextAttempt} <RelativeTime at={nextAttempt} />
            </>
          )}
        </span>
        {lastProblem !== null && <span className={classes.problem}>{texts.lastError(lastProblem)}</span>}
      </div>
      <Group gap="sm">
        <ActionButton label={texts.retryLabel(`${eventText}, ${texts.to(to)}`)} action={retry}>
          {texts.retry}
        </ActionButton>
        <Button
          variant="default"
          size="xs"
          c="var(--stop)"
          aria-label={texts.discardLabel(`${eventText}, ${texts.to(to)}`)}
          onClick={dialog.open}
        >
          {m.shell.discard}
        </Button>
      </Group>
      <ConfirmDialog
        opened={isConfirming}
        close={dialog.close}
        title={texts.discardTitle}
        cancelLabel={texts.keep}
        confirmLabel={m.shell.discard}
        onConfirm={discard}
      >
        {texts.discardText(to)}
      </ConfirmDialog>
    </li>
  );
}
