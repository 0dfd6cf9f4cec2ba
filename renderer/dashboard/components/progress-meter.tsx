import { Progress, Text } from '@mantine/core';
import { percent } from '../../shared/format/format.ts';
import classes from './progress-meter.module.css';

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
    <div className={classes.meter}>
      <Progress.Root size={8} radius="sm">
        <Progress.Section value={share * 100} color={paused ? 'gray.5' : 'teal'} aria-label={label} />
      </Progress.Root>
      <div className={classes.words}>
        <Text>
          {percent(share)} · {detail}
        </Text>
        <Text c="dimmed">{remaining}</Text>
      </div>
    </div>
  );
}
