import { Group, Progress, Stack, Text } from '@mantine/core';
import { percent } from '../../shared/format/format.ts';

interface MeterProps {
  label: string;
  /** From 0 to 1. */
  share: number;
  detail: string;
  remaining: string | undefined;
  paused?: boolean;
}

export function ProgressMeter({ label, share, detail, remaining, paused = false }: MeterProps) {
  return (
    <Stack gap="sm" maw="42rem" mt="0.75rem" mb="md">
      <Progress.Root size={8} radius="sm">
        <Progress.Section value={share * 100} color={paused ? 'gray.5' : 'teal'} aria-label={label} />
      </Progress.Root>
      <Group justify="space-between" gap="0 1rem">
        <Text>
          {percent(share)} · {detail}
        </Text>
        <Text c="dimmed">{remaining}</Text>
      </Group>
    </Stack>
  );
}
