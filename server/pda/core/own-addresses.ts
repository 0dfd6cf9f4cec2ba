import { createServiceAddresses, type ServiceAddresses } from '../../platform/service/own-addresses.ts';

/** Addresses of this PDA as host[:port]. The public address can change while the server runs. */
export type OwnAddresses = ServiceAddresses & {
  /**
   * Returns the host[:port] under which other servers can reach this PDA; undefined if there is none.
   * @param allowLoopback true if the loopback address counts, because all servers run on this machine
   */
  reachableHost(allowLoopback: boolean): string | undefined;
  /** Returns true if the host is a name by which only this machine can reach this server. */
  isLocal(host: string): boolean;
  /** Returns `127.0.0.1:<port>` of this server; undefined before it listens. */
  loopback(): string | undefined;
  /** Returns scheme and host of the public address; undefined if there is none. */
  publicUrl(): string | undefined;
  /** Returns the public host[:port], or a local one if there is no public address. */
  ownHost(): string;
  setPublic(url: string | undefined): void;
};

export const createOwnAddresses = (): OwnAddresses => {
  const local = createServiceAddresses([]);
  let publicAddress: { host: string; origin: string } | undefined;
  const isLocal = (host: string): boolean => local.isOwn(host);
  const loopback = (): string | undefined => local.list().find((host) => host.startsWith('127.0.0.1'));
  const list = (): string[] => [
    ...new Set([...(publicAddress === undefined ? [] : [publicAddress.host]), ...local.list()]),
  ];
  return {
    isLocal,
    loopback,
    isOwn: (host) => isLocal(host) || host === publicAddress?.host,
    list,
    baseOf: (host) => (host === publicAddress?.host ? publicAddress.origin : local.baseOf(host)),
    setPort: local.setPort,
    reachableHost: (allowLoopback) => publicAddress?.host ?? (allowLoopback ? loopback() : undefined),
    publicUrl: () => publicAddress?.origin,
    ownHost: () => list()[0] ?? 'localhost',
    setPublic(url) {
      const parsed = url === undefined ? undefined : new URL(url);
      publicAddress = parsed === undefined ? undefined : { host: parsed.host.toLowerCase(), origin: parsed.origin };
    },
  };
};
