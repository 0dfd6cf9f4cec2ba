/**
 * The addresses of a server as host[:port]. A request under any other name is refused: a page elsewhere that lets its own name lead here gains
 * nothing, and no token or link is ever built from a name that a stranger sent.
 */
export type ServiceAddresses = {
  isOwn(host: string): boolean;
  /** The public one comes first: whoever is told has to find the way back. */
  list(): string[];
  /** Scheme and host that lead here, for a host through which a call came. */
  baseOf(host: string): string;
  setPort(port: number): void;
};

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export const createServiceAddresses = (publicUrls: readonly string[]): ServiceAddresses => {
  const bases = new Map(publicUrls.map((url) => [new URL(url).host.toLowerCase(), new URL(url).origin]));
  const own = new Set(bases.keys());
  return {
    isOwn: (host) => own.has(host),
    list: () => [...own],
    baseOf: (host) => bases.get(host) ?? `http://${host}`,
    setPort(port) {
      for (const name of LOOPBACK_NAMES) own.add(port === 80 ? name : `${name}:${port}`);
    },
  };
};
