import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** Status line below the heading that links to its page. */
export function LeadLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} inherit c="dimmed" py={{ base: 'xs', sm: 2 }} display="inline-block" data-alone>
      {children}
    </Anchor>
  );
}
