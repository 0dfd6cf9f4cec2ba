import type { BadgeStatus } from '../../../shared/components/status-badge.tsx';
import type { Offer } from '../../api/client.ts';
import { messages } from '../../messages/texts.ts';

const STATUS_BY_STATE: Record<Offer['status'], BadgeStatus> = {
  draft: 'attention',
  approved: 'ok',
  satisfied: 'ok',
  oversubscribed: 'ok',
  rejected: 'stopped',
};

export const hasExpired = ({ expires }: Pick<Offer, 'expires'>, now: number): boolean => expires <= now;

export const offerStatus = (offer: Pick<Offer, 'expires' | 'status'>, now: number): BadgeStatus =>
  hasExpired(offer, now) && STATUS_BY_STATE[offer.status] === 'ok' ? 'none' : STATUS_BY_STATE[offer.status];

export const offerStatusText = (offer: Pick<Offer, 'expires' | 'status'>, now: number): string =>
  offerStatus(offer, now) === 'none' ? messages.offers.expired : messages.offers.states[offer.status];

export const OFFER_LIST = { path: '/offers', texts: messages.offers };
