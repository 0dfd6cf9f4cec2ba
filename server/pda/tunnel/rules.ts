import type { CertificateState, ExposureState, Probe, WayOut } from '../../wire/exposure.ts';

/** What the state follows from. */
export type Standing = {
  way: WayOut;
  /** Whether there is an address: a tunnel's needs a name. */
  hasAddress: boolean;
  dark: boolean;
  impostor: boolean;
  /** Of the way to the relay; undefined: none is open. */
  link: { phase: 'connecting' | 'up' | 'refused'; problem: string | null } | undefined;
  /** Undefined where TLS does not end here. */
  certificate: { state: CertificateState; problem: string | null } | undefined;
  /** Why the port that the owner's proxy points at is not open. */
  listenerProblem: string | null;
  /** The last try since it was ready last. */
  probe: Pick<Probe, 'reached' | 'problem'> | null;
};

/** States of a certificate that visitors can be shown, as far as this PDA knows. */
const SHOWN: ReadonlySet<CertificateState> = new Set(['good', 'renewing']);
export const isShown = (state: CertificateState): boolean => SHOWN.has(state);

const NO_CERTIFICATE = 'There is no certificate yet.';

export const standingOf = (standing: Standing): { state: ExposureState; problem: string | null } => {
  const { way, hasAddress, dark, impostor, link, certificate, listenerProblem, probe } = standing;
  if (way === 'none') return { state: 'off', problem: null };
  if (dark) return { state: 'dark', problem: null };
  if (!hasAddress) return { state: 'off', problem: 'This PDA has no name yet.' };
  if (impostor) return { state: 'impostor', problem: probe?.problem ?? null };
  if (way === 'tunnel') {
    if (link?.phase === 'refused') return { state: 'refused', problem: link.problem };
    if (link?.phase !== 'up') return { state: 'connecting', problem: link?.problem ?? null };
    if (certificate !== undefined && !isShown(certificate.state))
      return { state: 'certificate', problem: certificate.problem ?? NO_CERTIFICATE };
  }
  if (listenerProblem !== null) return { state: 'unreachable', problem: listenerProblem };
  if (probe === null) return { state: 'unproven', problem: null };
  return probe.reached ? { state: 'reachable', problem: null } : { state: 'unreachable', problem: probe.problem };
};
