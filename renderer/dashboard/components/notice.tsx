import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { Callout } from '../../shared/components/callout.tsx';

export interface Notice {
  tone: 'attention' | 'error' | 'neutral';
  title: string;
  text?: ReactNode;
  action?: { label: string; to: string } | undefined;
}

export function NoticeCallout({ tone, title, text, action }: Notice) {
  return (
    <Callout
      tone={tone}
      title={title}
      action={
        action !== undefined && (
          <Button component={Link} to={action.to} variant="default" size="xs">
            {action.label}
          </Button>
        )
      }
    >
      {text}
    </Callout>
  );
}
