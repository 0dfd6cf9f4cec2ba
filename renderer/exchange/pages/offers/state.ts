import type { Standing } from '../../../components/mark.tsx';
import type { Offer } from '../../api/client.ts';
import { x } from '../../messages/texts.ts';

const STANDING: Record<Offer['status'], Standing> = {
  draft: 'decision',
  approved: 'well',
  satisfied: 'well',
  oversubscribed: 'well',
  rejected: 'stopped',
};

export const isOver = ({ expires }: Pick<Offer, 'expires'>, now: number): boolean => expires <= now;

export const standingOf = (offer: Pick<Offer, 'expires' | 'status'>, now: number): Standing =>
  isOver(offer, now) && STANDING[offer.status] === 'well' ? 'none' : STANDING[offer.status];

export const LIST = { path: '/offers', words: x.offers };
