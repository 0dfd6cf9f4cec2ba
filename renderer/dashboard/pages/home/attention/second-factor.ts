import { useQuery } from '@tanstack/react-query';
import { secondFactor } from '../../../api/account/second-factor.ts';
import { newsOf } from '../../second-factor/notices.ts';
import type { Need } from './items.ts';

/** What was used or tried of the second factor, and that the recovery codes run out. */
export function useSecondFactorNeeds(): Need[] {
  const now = useQuery(secondFactor).data;
  if (now === undefined) return [];
  return newsOf(now).map(({ title, text, isNews }) => ({
    id: `second-factor ${title}`,
    to: '/settings/security',
    title,
    text,
    fault: isNews,
  }));
}
