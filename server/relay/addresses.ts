import { urlOfPda } from '../platform/outbound/pda-address.ts';
import { pdaNameSchema } from '../wire/owner.ts';

export type RelayAddresses = ReturnType<typeof createRelayAddresses>;

const LOOPBACK = '127.0.0.1';

export const createRelayAddresses = (options: { domain: string }) => {
  const domain = options.domain.toLowerCase();
  /** Domains that resolve to this machine use plain HTTP, all others HTTPS. */
  const isLocal = urlOfPda(domain).startsWith('http:');
  const scheme = isLocal ? 'http' : 'https';
  let suffix = '';

  const hostOf = (name: string): string => `${name}${suffix}`;
  return {
    domain,
    isLocal,
    scheme,
    /** Sets the port in addresses. It differs from the listening port if a router forwards a public port to it. */
    setPort(publicPort: number): void {
      suffix = publicPort === (isLocal ? 80 : 443) ? '' : `:${publicPort}`;
    },
    /** Returns the relay's host[:port]. */
    host: (): string => hostOf(domain),
    url: (): string => `${scheme}://${hostOf(domain)}`,
    pdaHost: (name: string): string => hostOf(`${name}.${domain}`),
    pdaUrl: (name: string): string => `${scheme}://${hostOf(`${name}.${domain}`)}`,
    isOwnHost: (host: string): boolean => host === hostOf(domain) || (isLocal && host === hostOf(LOOPBACK)),
    /** @param name server name without a port */
    isOwnName: (name: string): boolean => name === domain,
    /** Returns `alice` for `alice.<domain>[:port]`; undefined if the host cannot be a PDA of this relay. */
    nameOf(host: string): string | undefined {
      const hostname = host.toLowerCase().replace(/:\d{1,5}$/u, '');
      if (!hostname.endsWith(`.${domain}`)) return undefined;
      return pdaNameSchema.safeParse(hostname.slice(0, -domain.length - 1)).data;
    },
  };
};
