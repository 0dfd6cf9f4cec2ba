import { createServiceAddresses, type ServiceAddresses } from '../../platform/service/own-addresses.ts';

/** The addresses of this PDA as host[:port]. The public one comes and goes while it runs. */
export type Hosts = ServiceAddresses & {
  /** host[:port] by which others can reach this PDA; on this machine itself only where that is good for anything. */
  reachable(fromHere: boolean): string | undefined;
  /** Whether it leads to this machine from itself only. */
  isLocal(host: string): boolean;
  /** `127.0.0.1:<port>` of this server; undefined before it listens. */
  loopback(): string | undefined;
  /** Scheme and host of the public address; undefined while there is none. */
  publicUrl(): string | undefined;
  /** What others know this PDA by: the public host first, else one of this machine. */
  own(): string;
  setPublic(url: string | undefined): void;
};

export const createHosts = (): Hosts => {
  const local = createServiceAddresses([]);
  let open: { host: string; origin: string } | undefined;
  const isLocal = (host: string): boolean => local.isOwn(host);
  const loopback = (): string | undefined => local.list().find((host) => host.startsWith('127.0.0.1'));
  const list = (): string[] => [...new Set([...(open === undefined ? [] : [open.host]), ...local.list()])];
  return {
    isLocal,
    loopback,
    isOwn: (host) => isLocal(host) || host === open?.host,
    list,
    baseOf: (host) => (host === open?.host ? open.origin : local.baseOf(host)),
    setPort: local.setPort,
    reachable: (fromHere) => open?.host ?? (fromHere ? loopback() : undefined),
    publicUrl: () => open?.origin,
    own: () => list()[0] ?? 'localhost',
    setPublic(url) {
      const parsed = url === undefined ? undefined : new URL(url);
      open = parsed === undefined ? undefined : { host: parsed.host.toLowerCase(), origin: parsed.origin };
    },
  };
};
