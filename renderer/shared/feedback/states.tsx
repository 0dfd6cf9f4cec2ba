import { ActionIcon, Button, CopyButton, Group, Skeleton, Text, Title, Tooltip, VisuallyHidden } from '@mantine/core';
import { type Icon, IconCheck, IconCopy } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { toProblem, type Problem, isNotFound } from '../api/problem.ts';
import { m } from '../messages/texts.ts';
import { refusalText } from './refusal-text.ts';
import classes from './states.module.css';

/** The style sheet hides the skeleton for the first 200 ms. */
export function LoadingSkeleton({ rows = 4, height = 20 }: { rows?: number | undefined; height?: number | undefined }) {
  return (
    <div className={classes.loadingIndicator} aria-busy="true">
      <VisuallyHidden role="status">{m.shell.loading}</VisuallyHidden>
      {Array.from({ length: rows }, (_, row) => (
        <Skeleton key={row} height={height} width={`${92 - ((row * 17) % 40)}%`} />
      ))}
    </div>
  );
}

type ProblemTexts = Record<'unreachable' | 'unreadable' | 'internal' | 'outOfDisk', string> & {
  rateLimited: (seconds: number | undefined) => string;
  refused: (code: string, message: string, language: string) => string;
};

let problemTexts: ProblemTexts = m.shell.problem;

/** Replaces the PDA's messages, for pages of other servers. Must be called before the first render. */
export function setProblemMessages(texts: ProblemTexts): void {
  problemTexts = texts;
}

export function problemText(problem: Problem): string {
  switch (problem.code) {
    case 'unreachable':
      return problemTexts.unreachable;
    case 'unreadable':
      return problemTexts.unreadable;
    case 'internal_error':
      return problemTexts.internal;
    case 'rate_limited':
      return problemTexts.rateLimited(problem.retryAfter);
    case 'out_of_disk':
      return problemTexts.outOfDisk;
    default:
      return problemTexts.refused(problem.code, refusalText(problem, m.shell.field), problem.language);
  }
}

export function CopyIconButton({ value, label }: { value: string; label: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? m.shell.copied : label}>
          <ActionIcon
            variant="subtle"
            color="gray"
            size={24}
            onClick={copy}
            aria-label={label}
            data-inline
            className={classes.copyButton}
          >
            {copied ? <IconCheck size={15} stroke={1.6} /> : <IconCopy size={15} stroke={1.6} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

export function RequestId({ problem }: { problem: Problem }) {
  if (problem.requestId === undefined) return null;
  return (
    <Text component="div" size="xs" c="dimmed" className={classes.requestId}>
      {m.shell.requestId} <code>{problem.requestId}</code>
      <CopyIconButton value={problem.requestId} label={m.shell.copyRequestId} />
    </Text>
  );
}

export function LoadError({
  error,
  retry,
  title = m.shell.problem.title,
}: {
  error: unknown;
  retry?: () => void;
  title?: string;
}) {
  const problem = toProblem(error);
  return (
    <div className={classes.errorNotice} role="alert">
      <Text size="md" fw={500}>
        {title}
      </Text>
      <Text>{problemText(problem)}</Text>
      <RequestId problem={problem} />
      {retry !== undefined && (
        <Button variant="default" size="xs" onClick={retry} mt="sm">
          {m.shell.retry}
        </Button>
      )}
    </div>
  );
}

export function SubmitError({ problem }: { problem: unknown }) {
  return problem === undefined ? null : <LoadError error={problem} title={m.shell.problem.notDone} />;
}

/** Explains why there is nothing to show, and what the user can do. */
export function EmptyState({
  icon: StateIcon,
  title,
  children,
  actions,
}: {
  icon: Icon;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className={classes.emptyState}>
      <StateIcon size={28} stroke={1.25} aria-hidden="true" />
      <Title order={2}>{title}</Title>
      {children !== undefined && <Text c="dimmed">{children}</Text>}
      {actions !== undefined && (
        <Group gap="sm" mt="md">
          {actions}
        </Group>
      )}
    </div>
  );
}

export function NotFoundNote({ title, text }: { title: string; text: string }) {
  return (
    <div>
      <Text size="md" fw={500}>
        {title}
      </Text>
      <Text c="dimmed">{text}</Text>
    </div>
  );
}

interface ItemLoadErrorProps {
  error: unknown;
  retry: () => void;
  texts: { notFound: string; notFoundText: string };
}

export function ItemLoadError({ error, retry, texts }: ItemLoadErrorProps) {
  return isNotFound(error) ? (
    <NotFoundNote title={texts.notFound} text={texts.notFoundText} />
  ) : (
    <LoadError error={error} retry={retry} />
  );
}
