import type { Exposure, ExposureState } from '../../api/account/exposure.ts';
import type { BadgeStatus } from '../../../shared/components/status-badge.tsx';
import { m } from '../../../shared/messages/texts.ts';

const words = m.exposure;

export interface ExposureStatusText {
  standing: BadgeStatus;
  title: string;
  means: string;
  todo: string;
}

const STANDINGS: Record<Exclude<ExposureState, 'readable'>, BadgeStatus> = {
  off: 'none',
  dark: 'none',
  connecting: 'pending',
  certificate: 'pending',
  unproven: 'pending',
  reachable: 'ok',
  unreachable: 'error',
  refused: 'error',
  impostor: 'error',
};

/** All else is there, and visitors are not, before the owner agrees to the terms of the authority. */
export const waitsForTerms = ({ state, termsWait }: Exposure): boolean => termsWait && state === 'certificate';

/** What is so, what it means and what can be done, in the owner's words. */
export function exposureStatusText(now: Exposure): ExposureStatusText {
  const { state, way, localtunnel } = now;
  if (waitsForTerms(now)) return { standing: 'attention', ...words.states.terms };
  // A server on the way reads everything: never green.
  if (state === 'readable')
    return { standing: 'attention', ...words.localtunnel.readable(localtunnel?.readableBy ?? '') };
  if (localtunnel !== null && (state === 'connecting' || state === 'refused'))
    return { standing: STANDINGS[state], ...words.localtunnel[state] };
  const { title, means, todo } = words.states[state];
  const isOwn = way === 'own' && (state === 'unreachable' || state === 'impostor');
  return { standing: STANDINGS[state], title, means, todo: isOwn ? words.own[state] : todo };
}

/** States in which remote callers get in, as far as is known. */
export const isReachable = (state: ExposureState): boolean =>
  state === 'reachable' || state === 'readable' || state === 'unproven';

/** False where another server answers, or where the relay gives the name to another PDA. */
export const isOurs = (state: ExposureState): boolean => state !== 'impostor' && state !== 'refused';

/** This page came by the public address: what closes it, closes the page too. */
export function isOutside(address: string | null, origin: string): boolean {
  return address !== null && URL.canParse(address) && new URL(address).origin === origin;
}
