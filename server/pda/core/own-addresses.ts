import { createServiceAddresses } from '../../platform/service/own-addresses.ts';

/** Addresses of this PDA as host[:port]. The public address can change while the server runs. */
export const createOwnAddresses = () => {
  const local = createServiceAddresses([]);
  let publicAddress: { host: string; origin: string } | undefined;
  const isLocal = (host: string): boolean => local.isOwn(host);
  const loopback = (): string | undefined => local.list().find((host) => host.startsWith('127.0.0.1'));
  const list = (): string[] => [
    ...new Set([...(publicAddress === undefined ? [] : [publicAddress.host]), ...local.list()]),
  ];
  return {
    /** Returns true if the host is a name by which only this machine can reach this server. */
    isLocal,
    /** Returns the host[:port] of 127.0.0.1 at this server; undefined before it listens. */
    loopback,
    isOwn: (host: string): boolean => isLocal(host) || host === publicAddress?.host,
    list,
    baseOf: (host: string): string => (host === publicAddress?.host ? publicAddress.origin : local.baseOf(host)),
    setPort: local.setPort,
    /**
     * Returns the host[:port] under which other servers can reach this PDA; undefined if there is none.
     * @param allowLoopback true if the loopback address counts, because all servers run on this machine
     */
    reachableHost: (allowLoopback: boolean): string | undefined =>
      publicAddress?.host ?? (allowLoopback ? loopback() : undefined),
    /** Returns the origin of the public address; undefined if there is none. */
    publicUrl: (): string | undefined => publicAddress?.origin,
    /** Returns the public host[:port], or a local one if there is no public address. */
    ownHost: (): string => list()[0] ?? 'localhost',
    setPublic(url: string | undefined): void {
      const parsed = url === undefined ? undefined : new URL(url);
      publicAddress = parsed === undefined ? undefined : { host: parsed.host.toLowerCase(), origin: parsed.origin };
    },
  };
};
