import type { ReactNode } from 'react';
import { TextLink } from '../../../shared/components/text-link.tsx';

export function LeadLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <TextLink to={to} inherit c="dimmed" py={{ base: 'xs', sm: 2 }} display="inline-block" data-standalone>
      {children}
    </TextLink>
  );
}
