import { urlOfPda } from '../platform/pda-address.ts';
import { pdaNameSchema } from '../wire/owner.ts';

export type Addresses = ReturnType<typeof createAddresses>;

const LOOPBACK = '127.0.0.1';

/** What the relay and its PDAs are called. `publicPort` is what stands in addresses: a router may forward another port. */
export const createAddresses = (options: { domain: string }) => {
  const domain = options.domain.toLowerCase();
  /** Plain HTTP, since it only leads to this machine. Never for any other domain. */
  const local = urlOfPda(domain).startsWith('http:');
  const scheme = local ? 'http' : 'https';
  let suffix = '';

  const hostOf = (name: string): string => `${name}${suffix}`;
  return {
    domain,
    local,
    scheme,
    setPort(publicPort: number): void {
      suffix = publicPort === (local ? 80 : 443) ? '' : `:${publicPort}`;
    },
    /** host[:port] of the relay itself. */
    host: (): string => hostOf(domain),
    url: (): string => `${scheme}://${hostOf(domain)}`,
    /** host[:port] of a PDA. */
    pdaHost: (name: string): string => hostOf(`${name}.${domain}`),
    pdaUrl: (name: string): string => `${scheme}://${hostOf(`${name}.${domain}`)}`,
    /** Whether a host[:port] is the relay itself. */
    isOwn: (host: string): boolean => host === hostOf(domain) || (local && host === hostOf(LOOPBACK)),
    /** Whether a server name (without a port) is the relay itself. */
    isOwnName: (name: string): boolean => name === domain,
    /** `alice` of `alice.<domain>`, with or without a port; undefined for everything that cannot be a PDA here. */
    nameOf(host: string): string | undefined {
      const plain = host.toLowerCase().replace(/:\d{1,5}$/u, '');
      if (!plain.endsWith(`.${domain}`)) return undefined;
      return pdaNameSchema.safeParse(plain.slice(0, -domain.length - 1)).data;
    },
  };
};
