import { isoTimeOrNull } from '../../../platform/clock.ts';
import { intermediaryHost, isLocalDomain } from '../../../platform/tunnel/address.ts';
import type { Exposure } from '../../../wire/exposure.ts';
import type { AccessMode } from './settings.ts';
import type { TunnelStatus } from './transport/tunnel.ts';

export type ViewFacts = Pick<
  Exposure,
  'fixed' | 'name' | 'dark' | 'state' | 'problem' | 'visitors' | 'probe' | 'terms' | 'open'
> & {
  mode: AccessMode;
  url: string | undefined;
  publicListenerUrl: string | undefined;
  /** Unix milliseconds. */
  darkSince: number | null;
  /** Start of the state in Unix milliseconds. */
  since: number | undefined;
  tunnel: TunnelStatus | undefined;
};

export const toExposure = (facts: ViewFacts): Exposure => {
  const { mode, url, publicListenerUrl, darkSince, since, tunnel, ...unchangedFields } = facts;
  return {
    ...unchangedFields,
    way: mode.way,
    address: url ?? null,
    relay: mode.way === 'tunnel' ? mode.relay : null,
    domain: mode.way === 'tunnel' ? mode.domain : null,
    publicUrl: mode.way === 'own' ? mode.publicUrl : null,
    localtunnel:
      mode.way === 'localtunnel'
        ? {
            host: mode.host,
            subdomain: mode.subdomain,
            readableBy: intermediaryHost(mode),
            passwordSignIn: mode.passwordSignIn,
          }
        : null,
    publicListener: publicListenerUrl ?? null,
    darkSince: isoTimeOrNull(darkSince),
    since: isoTimeOrNull(since),
    nextTry: isoTimeOrNull(tunnel?.nextAttempt),
    tries: tunnel?.attempts ?? 0,
    certificate: tunnel?.certificate ?? null,
    termsPending: mode.way === 'tunnel' && !mode.agreed && !isLocalDomain(mode.domain),
  };
};
