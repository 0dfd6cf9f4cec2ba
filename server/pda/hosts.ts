/**
 * The addresses of this PDA as host[:port]. A request under any other name is refused: a page elsewhere that lets its own name
 * lead here gains nothing, and no token or link is ever built from a name that a stranger sent.
 */
export type Hosts = {
  isOwn(host: string): boolean;
  list(): string[];
  /** Scheme and host that lead here, for a host through which a call came. */
  baseOf(host: string): string;
  setPort(port: number): void;
};

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];

export const createHosts = (publicUrl: string | undefined): Hosts => {
  const own = new Set<string>();
  const publicBase = publicUrl === undefined ? undefined : new URL(publicUrl);
  const publicHost = publicBase?.host.toLowerCase();
  if (publicHost !== undefined) own.add(publicHost);
  return {
    isOwn: (host) => own.has(host),
    list: () => [...own],
    baseOf: (host) => (publicBase !== undefined && host === publicHost ? publicBase.origin : `http://${host}`),
    setPort(port) {
      for (const name of LOOPBACK_NAMES) own.add(port === 80 ? name : `${name}:${port}`);
    },
  };
};
