import { Box } from '@mantine/core';
import type { ImportJob } from '../../../shared/api/contract.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './kind-counts.module.css';

const texts = m.imports.contents;

export function ImportErrors({ errors }: { errors: ImportJob['problems'] }) {
  const { count, first } = errors;
  if (count === 0) return null;
  return (
    <Box maw="48rem" mt="md">
      <Callout tone="neutral" title={texts.unreadable(count)}>
        {texts.unreadableText(count)}
        {first.length > 0 && (
          <details className={classes.details}>
            <summary>{texts.showErrors(first.length, count)}</summary>
            <ul>
              {first.map(({ position, problem }, index) => (
                // oxlint-disable-next-line react/no-array-index-key -- errors may repeat, and the list never changes
                <li key={index}>
                  {position}: {problem}
                </li>
              ))}
            </ul>
          </details>
        )}
      </Callout>
    </Box>
  );
}
