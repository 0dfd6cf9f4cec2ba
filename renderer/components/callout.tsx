import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './callout.module.css';

interface CalloutProps {
  tone: 'decision' | 'fault' | 'calm';
  title?: string | undefined;
  children?: ReactNode;
  /** At its end: what can be done about it. */
  action?: ReactNode;
  /** It came while one was reading: said at once to whoever does not see it. */
  urgent?: boolean;
}

/** What has to be known before the rest of a page. */
export function Callout({ tone, title, children, action, urgent = false }: CalloutProps) {
  return (
    <div className={classes.callout} data-tone={tone} role={urgent ? 'alert' : undefined}>
      <div className={classes.words}>
        {title !== undefined && (
          <Text fw={500} size="sm">
            {title}
          </Text>
        )}
        {children !== undefined && (
          <Text size="sm" component="div" {...(title === undefined ? {} : { c: 'dimmed' })}>
            {children}
          </Text>
        )}
      </div>
      {action}
    </div>
  );
}

export function Callouts({ children }: { children: ReactNode }) {
  return <ul className={classes.callouts}>{children}</ul>;
}
