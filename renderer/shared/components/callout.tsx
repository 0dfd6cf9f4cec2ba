import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './callout.module.css';

interface CalloutProps {
  tone: 'attention' | 'error' | 'neutral';
  title?: string | undefined;
  children?: ReactNode;
  action?: ReactNode;
  /** Announced immediately by screen readers. For notices that appear while the page is open. */
  urgent?: boolean;
}

export function Callout({ tone, title, children, action, urgent = false }: CalloutProps) {
  return (
    <div className={classes.callout} data-tone={tone} role={urgent ? 'alert' : undefined}>
      <div className={classes.content}>
        {title !== undefined && <Text fw={500}>{title}</Text>}
        {children !== undefined && (
          <Text component="div" {...(title === undefined ? {} : { c: 'dimmed' })}>
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
