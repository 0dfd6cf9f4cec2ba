import { useQuery } from '@tanstack/react-query';
import { secondFactor } from '../../../api/account/second-factor.ts';
import { secondFactorNotices } from '../../second-factor/notices.ts';
import type { AttentionItem } from './attention-item.ts';

export function useSecondFactorItems(): AttentionItem[] | undefined {
  const state = useQuery(secondFactor).data;
  if (state === undefined) return undefined;
  return secondFactorNotices(state).map(({ title, text, needsAcknowledgement }) => ({
    id: `second-factor ${title}`,
    to: '/settings/security',
    title,
    text,
    isError: needsAcknowledgement,
  }));
}
