import { createServiceHosts, type ServiceHosts } from '../platform/service-hosts.ts';

/** The addresses of this PDA as host[:port]. */
export type Hosts = ServiceHosts & {
  /** host[:port] by which others can reach this PDA; on this machine itself only where that is good for anything. */
  reachable(fromHere: boolean): string | undefined;
};

export const createHosts = (publicUrl: string | undefined): Hosts => {
  const hosts = createServiceHosts(publicUrl === undefined ? [] : [publicUrl]);
  const publicHost = hosts.list()[0];
  return {
    ...hosts,
    reachable: (fromHere) =>
      publicHost ?? (fromHere ? hosts.list().find((host) => host.startsWith('127.0.0.1')) : undefined),
  };
};
