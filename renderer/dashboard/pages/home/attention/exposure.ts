import { useQuery } from '@tanstack/react-query';
import { type Exposure, exposure, hasBadCertificate } from '../../../api/account/exposure.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { EXPOSURE_PATH } from '../../../navigation.ts';
import { isReachable, exposureStatusText, awaitsTermsConsent } from '../../exposure/status-text.ts';
import type { AttentionItem } from './attention-item.ts';

const texts = m.exposure.home;

function itemsOf(exposureState: Exposure): AttentionItem[] {
  if (exposureState.way === 'none' || exposureState.dark) return [];
  const base = { id: 'exposure', to: EXPOSURE_PATH, isError: true };
  const { status, title, explanation } = exposureStatusText(exposureState);
  if (awaitsTermsConsent(exposureState)) return [{ ...base, isError: false, title, text: '' }];
  if (status === 'error') return [{ ...base, title, text: exposureState.problem ?? explanation }];
  const { certificate } = exposureState;
  if (certificate === null || !hasBadCertificate(exposureState)) return [];
  return [{ ...base, title: texts.certificate, text: m.exposure.certificate.states[certificate.state] }];
}

function statusLineOf({ state, address, localtunnel }: Exposure): string {
  if (state === 'dark') return texts.dark;
  if (state === 'unreachable') return texts.unreachable;
  if (state === 'connecting' || state === 'certificate') return texts.connecting;
  if (isReachable(state) && address !== null)
    return localtunnel === null ? texts.reachable(address) : texts.readable(address, localtunnel.readableBy);
  return texts.private(location.host);
}

/** Returns undefined properties until the state has loaded. */
export function useExposureStatus(): { items: AttentionItem[] | undefined; statusLine: string | undefined } {
  const exposureState = useQuery(exposure).data;
  return exposureState === undefined
    ? { items: undefined, statusLine: undefined }
    : { items: itemsOf(exposureState), statusLine: statusLineOf(exposureState) };
}
