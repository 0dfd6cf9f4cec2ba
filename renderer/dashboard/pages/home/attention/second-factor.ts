import { useQuery } from '@tanstack/react-query';
import { secondFactor } from '../../../api/account/second-factor.ts';
import { secondFactorNotices } from '../../second-factor/notices.ts';
import type { AttentionItem } from './items.ts';

/** Reports sign-ins with a wrong second factor, a used recovery code, and few remaining recovery codes. */
export function useSecondFactorItems(): AttentionItem[] {
  const state = useQuery(secondFactor).data;
  if (state === undefined) return [];
  return secondFactorNotices(state).map(({ title, text, needsAcknowledgement }) => ({
    id: `second-factor ${title}`,
    to: '/settings/security',
    title,
    text,
    fault: needsAcknowledgement,
  }));
}
