import { Text } from '@mantine/core';
import classes from '../../../../shared/components/code-block.module.css';

export function ConsoleLog({
  lines,
  emptyText,
  label,
}: {
  lines: readonly string[];
  emptyText: string;
  label: string;
}) {
  if (lines.length === 0) {
    return <Text c="dimmed">{emptyText}</Text>;
  }
  return (
    <pre className={classes.block} tabIndex={0} role="region" aria-label={label}>
      {lines.join('\n')}
    </pre>
  );
}
