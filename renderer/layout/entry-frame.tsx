import { Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { useWindowTitle } from '../components/page.tsx';
import { m } from '../messages/en.ts';
import classes from './entry-frame.module.css';
import { Mark } from './mark.tsx';
import { useStepHeading } from './use-step-heading.ts';

interface EntryFrameProps {
  title: string;
  windowTitle: string;
  above?: ReactNode;
  text?: ReactNode;
  children?: ReactNode;
  /** Another value moves the focus to the heading: the next step of the wizard. */
  step?: string;
}

/** The pages before one is inside: set-up and signing in. */
export function EntryFrame({ title, windowTitle, above, text, children, step }: EntryFrameProps) {
  useWindowTitle(windowTitle, '');
  const heading = useStepHeading(step);
  return (
    <main className={classes.frame}>
      <div className={classes.column}>
        <div className={classes.brand}>
          <Mark size={32} />
          <span>{m.shell.product}</span>
        </div>
        {above !== undefined && (
          <Text size="sm" c="dimmed" mb="xs">
            {above}
          </Text>
        )}
        <Title order={1} ref={heading} tabIndex={-1} className={classes.title}>
          {title}
        </Title>
        {text !== undefined && (
          <Text size="md" c="dimmed" mt="sm">
            {text}
          </Text>
        )}
        <div className={classes.body}>{children}</div>
      </div>
    </main>
  );
}
