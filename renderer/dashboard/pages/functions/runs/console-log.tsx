import { Text } from '@mantine/core';
import classes from './console-log.module.css';

export function ConsoleLog({ lines, none, label }: { lines: readonly string[]; none: string; label: string }) {
  if (lines.length === 0) {
    return <Text c="dimmed">{none}</Text>;
  }
  return (
    <pre className={classes.log} tabIndex={0} role="region" aria-label={label}>
      {lines.join('\n')}
    </pre>
  );
}
