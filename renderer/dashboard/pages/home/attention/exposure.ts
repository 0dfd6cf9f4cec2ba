import { useQuery } from '@tanstack/react-query';
import { type Exposure, exposure, hasBadCertificate } from '../../../api/account/exposure.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { EXPOSURE_PATH } from '../../../navigation.ts';
import { isReachable, exposureStatusText, waitsForTerms } from '../../exposure/status-text.ts';
import type { Need } from './items.ts';

const words = m.exposure.home;

/** An address that does not hold: of what is only on its way, the page of the address tells. */
function needsOf(now: Exposure): Need[] {
  if (now.way === 'none' || now.dark) return [];
  const place = { id: 'exposure', to: EXPOSURE_PATH, fault: true };
  const { standing, title, means } = exposureStatusText(now);
  if (waitsForTerms(now)) return [{ ...place, fault: false, title, text: '' }];
  if (standing === 'error') return [{ ...place, title, text: now.problem ?? means }];
  const { certificate } = now;
  if (certificate === null || !hasBadCertificate(now)) return [];
  return [{ ...place, title: words.certificate, text: m.exposure.certificate.states[certificate.state] }];
}

/** Whether anybody outside can reach it, in one line; undefined while that is not known. */
function lineOf({ state, address, localtunnel }: Exposure): string {
  if (state === 'dark') return words.dark;
  if (state === 'connecting' || state === 'certificate') return words.connecting;
  if (isReachable(state) && address !== null)
    return localtunnel === null ? words.reachable(address) : words.readable(address, localtunnel.readableBy);
  return words.private(location.host);
}

export function useExposure(): { needs: Need[]; line: string | undefined } {
  const now = useQuery(exposure).data;
  return now === undefined ? { needs: [], line: undefined } : { needs: needsOf(now), line: lineOf(now) };
}
