/**
 * The addresses of a service as host[:port]. Requests under any other name are refused, which prevents DNS
 * rebinding; tokens and links are never built from a name that a client sent.
 */
export type ServiceAddresses = {
  /** Returns true if the service answers under this host[:port]. */
  isOwn(host: string): boolean;
  /** Returns all addresses, the public ones first, since others use them to reach this server. */
  list(): string[];
  /** Returns scheme and host for a host that a request was sent to. */
  baseOf(host: string): string;
  /** Adds the loopback names with this port. */
  setPort(port: number): void;
};

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

/** Creates the addresses of a service. @param publicUrls URLs under which clients reach it */
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
