import { Progress, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface ProgressSectionProps {
  label: string;
  title: string;
  progress: { done: number; total: number } | null;
  detail: string;
  action?: ReactNode;
}

export function ProgressSection({ label, title, progress, detail, action }: ProgressSectionProps) {
  const share = progress === null || progress.total === 0 ? 0 : (100 * progress.done) / progress.total;
  return (
    <Stack gap="md" maw="44rem">
      <Text role="status">{title}</Text>
      <Progress value={Math.min(100, share)} aria-label={label} />
      <Text c="dimmed">{detail}</Text>
      {action}
    </Stack>
  );
}
