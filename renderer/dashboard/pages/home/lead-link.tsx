import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** Linked status line below the page heading. */
export function LeadLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} inherit c="dimmed" py={{ base: 'xs', sm: 2 }} display="inline-block" data-alone>
      {children}
    </Anchor>
  );
}
