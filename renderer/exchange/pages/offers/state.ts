import type { Offer } from '../../api/client.ts';
import type { Tone } from '../../components/state-mark.tsx';

const TONES: Record<Offer['status'], Tone> = {
  draft: 'wait',
  approved: 'good',
  satisfied: 'good',
  oversubscribed: 'good',
  rejected: 'stop',
};

export const isOver = ({ expires }: Pick<Offer, 'expires'>, now: number): boolean => expires <= now;

export const toneOf = (offer: Pick<Offer, 'expires' | 'status'>, now: number): Tone =>
  isOver(offer, now) && TONES[offer.status] === 'good' ? 'none' : TONES[offer.status];
