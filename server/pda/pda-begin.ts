import type { AddressInfo } from 'node:net';
import type { HttpServer } from '../platform/http/application.ts';
import type { Log } from '../platform/log.ts';
import type { Hosts } from './hosts.ts';
import type { Settings } from './system/settings-store.ts';

/** Listens on the first of the ports that is free. */
const listenOn = async (http: HttpServer, ports: readonly number[], host: string): Promise<AddressInfo> => {
  for (const port of ports.slice(0, -1)) {
    try {
      return await http.listen({ port, host });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
  return http.listen({ port: ports.at(-1) ?? 0, host });
};

/** How a PDA that was put together starts to answer. @returns the address on this machine */
export const createBegin = (parts: {
  http: HttpServer;
  hosts: Pick<Hosts, 'setPort'>;
  settings: Pick<Settings, 'lastPort' | 'rememberPort'>;
  log: Log;
  /** What must be in order before anybody is answered. */
  recover: readonly (() => Promise<unknown>)[];
  /** What goes on by itself once there are answers. */
  rooms: readonly (() => unknown)[];
  /** The look through the files folder takes as long as it is large; nobody waits for it. */
  files: () => Promise<unknown>;
}) => {
  const { http, hosts, settings, log, recover, rooms, files } = parts;
  return async (port: number | undefined, host: string): Promise<{ port: number; url: string }> => {
    for (const step of recover) await step();
    const address = await listenOn(http, port === undefined ? [settings.lastPort() ?? 0, 0] : [port], host);
    hosts.setPort(address.port);
    await settings.rememberPort(address.port).catch((error: unknown) => {
      // A full disk must not keep a PDA from being read.
      log.warn({ err: error }, 'the port could not be remembered');
    });
    for (const start of rooms) start();
    files().catch((error: unknown) => log.error({ err: error }, 'the files folder could not be looked through'));
    return { port: address.port, url: `http://127.0.0.1:${address.port}` };
  };
};
