import type { CertificateState, ExposureState, Probe, WayOut } from '../../../wire/exposure.ts';
import type { TunnelStatus } from './transport/tunnel.ts';

/** What the state follows from. */
export type Standing = {
  way: WayOut;
  /** Whether there is an address: a tunnel's needs a name. */
  hasAddress: boolean;
  dark: boolean;
  impostor: boolean;
  /** Undefined: none is open, or the address needs none. */
  tunnel:
    | (Pick<TunnelStatus, 'phase' | 'problem'> & {
        certificate?: { state: CertificateState; problem: string | null } | undefined;
      })
    | undefined;
  /** The last try since it was ready last. */
  probe: Pick<Probe, 'reached' | 'problem'> | null;
};

/** States of a certificate that visitors can be shown, as far as this PDA knows. */
const SHOWN: ReadonlySet<CertificateState> = new Set(['good', 'renewing']);
export const isShown = (state: CertificateState): boolean => SHOWN.has(state);

const NO_CERTIFICATE = 'There is no certificate yet.';

export const standingOf = (standing: Standing): { state: ExposureState; problem: string | null } => {
  const { way, hasAddress, dark, impostor, tunnel, probe } = standing;
  if (way === 'none') return { state: 'off', problem: null };
  if (dark) return { state: 'dark', problem: null };
  // The address at a localtunnel server is known once it has answered.
  if (!hasAddress && way !== 'localtunnel') return { state: 'off', problem: 'This PDA has no name yet.' };
  if (impostor) return { state: 'impostor', problem: probe?.problem ?? null };
  if (tunnel?.phase === 'failed') return { state: 'unreachable', problem: tunnel.problem };
  if (tunnel?.phase === 'refused') return { state: 'refused', problem: tunnel.problem };
  if (way !== 'own' && tunnel?.phase !== 'up') return { state: 'connecting', problem: tunnel?.problem ?? null };
  const certificate = tunnel?.certificate;
  if (certificate !== undefined && !isShown(certificate.state))
    return { state: 'certificate', problem: certificate.problem ?? NO_CERTIFICATE };
  if (probe === null) return { state: 'unproven', problem: null };
  if (!probe.reached) return { state: 'unreachable', problem: probe.problem };
  return { state: way === 'localtunnel' ? 'readable' : 'reachable', problem: null };
};
