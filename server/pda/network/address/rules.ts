import { Failure } from '../../../platform/failure.ts';
import type { CertificateState, ExposureState, Probe, ExposureWay } from '../../../wire/exposure.ts';
import type { TunnelStatus } from './transport/tunnel.ts';

export type ExposureFacts = {
  way: ExposureWay;
  /** False if the address is unknown, for example while the owner has no name. */
  hasAddress: boolean;
  isDark: boolean;
  hasImpostor: boolean;
  tunnel:
    | (Pick<TunnelStatus, 'phase' | 'problem'> & {
        certificate?: { state: CertificateState; problem: string | null } | undefined;
      })
    | undefined;
  probe: Pick<Probe, 'reached' | 'problem'> | null;
};

const isUsable = (state: CertificateState): boolean => state === 'good' || state === 'renewing';

export const exposureStateOf = (facts: ExposureFacts): { state: ExposureState; problem: string | null } => {
  const { way, hasAddress, isDark, hasImpostor, tunnel, probe } = facts;
  if (way === 'none') return { state: 'off', problem: null };
  if (isDark) return { state: 'dark', problem: null };
  // The address of a localtunnel is unknown until the server assigns it.
  if (!hasAddress && way !== 'localtunnel') return { state: 'off', problem: 'This PDA has no name yet.' };
  if (hasImpostor) return { state: 'impostor', problem: probe?.problem ?? null };
  if (tunnel?.phase === 'failed') return { state: 'unreachable', problem: tunnel.problem };
  if (tunnel?.phase === 'refused') return { state: 'refused', problem: tunnel.problem };
  if (way !== 'own' && tunnel?.phase !== 'up') return { state: 'connecting', problem: tunnel?.problem ?? null };
  const certificate = tunnel?.certificate;
  if (certificate !== undefined && !isUsable(certificate.state))
    return { state: 'certificate', problem: certificate.problem ?? 'There is no certificate yet.' };
  if (probe === null) return { state: 'unproven', problem: null };
  if (!probe.reached) return { state: 'unreachable', problem: probe.problem };
  return { state: way === 'localtunnel' ? 'readable' : 'reachable', problem: null };
};

export const isTunnelReady = (way: ExposureWay, status: TunnelStatus | undefined): boolean =>
  way === 'own' || (status?.phase === 'up' && (status.certificate === undefined || isUsable(status.certificate.state)));

/** Tells the owner where the proxy must point. */
export const proxyInstruction = (publicListenerUrl: string | undefined): string =>
  `Point the proxy at ${publicListenerUrl ?? 'the port that Settings, Address shows'}.`;

export const wrongPortFailure = (publicListenerUrl: string | undefined): Failure =>
  new Failure('misdirected_request', `This port serves this computer only. ${proxyInstruction(publicListenerUrl)}`);

export const passwordRefusedFailure = (reader: string): Failure =>
  new Failure(
    'forbidden',
    `Passwords are refused at this address, because ${reader} could read them. ` +
      'Sign in at the computer of this PDA, or allow passwords there in Settings, Address.',
  );
