import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';

/** One line below the heading that says how something stands, and leads there. */
export function LeadLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <Anchor component={Link} to={to} inherit c="dimmed" py={{ base: 'xs', sm: 2 }} display="inline-block" data-alone>
      {children}
    </Anchor>
  );
}
