import type { Exposure, ExposureState } from '../../api/account/exposure.ts';
import type { BadgeStatus } from '../../../shared/components/status-badge.tsx';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.exposure;

interface ExposureStatusText {
  status: BadgeStatus;
  title: string;
  explanation: string;
  /** What the owner can do; empty if there is nothing to do. */
  todo: string;
}

const BADGE_STATUS: Record<Exclude<ExposureState, 'readable'>, BadgeStatus> = {
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

export const awaitsTermsConsent = ({ state, termsPending }: Exposure): boolean =>
  termsPending && state === 'certificate';

export function exposureStatusText(exposure: Exposure): ExposureStatusText {
  const { state, way, localtunnel } = exposure;
  if (awaitsTermsConsent(exposure)) return { status: 'attention', ...texts.states.terms };
  // The localtunnel server can read all traffic, so the status is never "ok".
  if (state === 'readable')
    return { status: 'attention', ...texts.localtunnel.readable(localtunnel?.readableBy ?? '') };
  if (localtunnel !== null && (state === 'connecting' || state === 'refused'))
    return { status: BADGE_STATUS[state], ...texts.localtunnel[state] };
  const { title, explanation, todo } = texts.states[state];
  const isOwnAddressProblem = way === 'own' && (state === 'unreachable' || state === 'impostor');
  return { status: BADGE_STATUS[state], title, explanation, todo: isOwnAddressProblem ? texts.own[state] : todo };
}

/** Returns true in states in which the public address is presumably reachable. */
export const isReachable = (state: ExposureState): boolean =>
  state === 'reachable' || state === 'readable' || state === 'unproven';

/** Returns false if another server responds at the address, or if the relay or localtunnel server refused the name. */
export const isOwnAddress = (state: ExposureState): boolean => state !== 'impostor' && state !== 'refused';

/** Returns true if this page was loaded from the public address. Closing the address disconnects such a page. */
export function isPublicOrigin(address: string | null, origin: string): boolean {
  return address !== null && URL.canParse(address) && new URL(address).origin === origin;
}
