/**
 * Addresses of a service as host[:port]. Requests to other hosts are refused, which prevents DNS rebinding. These
 * hosts are safe to use in tokens and links.
 */
export type ServiceAddresses = {
  isOwn(host: string): boolean;
  /** Returns all addresses, the public ones first, because others use those to reach the service. */
  list(): string[];
  /** Returns the origin of one of the addresses. The scheme is that of its public URL, or `http` if it has none. */
  baseOf(host: string): string;
  /** Adds the loopback addresses with this port. */
  setPort(port: number): void;
};

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export const createServiceAddresses = (publicUrls: readonly string[]): ServiceAddresses => {
  const bases = new Map(publicUrls.map((url) => [new URL(url).host.toLowerCase(), new URL(url).origin]));
  const ownHosts = new Set(bases.keys());
  return {
    isOwn: (host) => ownHosts.has(host),
    list: () => [...ownHosts],
    baseOf: (host) => bases.get(host) ?? `http://${host}`,
    setPort(port) {
      for (const name of LOOPBACK_NAMES) ownHosts.add(port === 80 ? name : `${name}:${port}`);
    },
  };
};
