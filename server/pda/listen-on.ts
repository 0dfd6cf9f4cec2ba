import type { AddressInfo } from 'node:net';
import type { HttpServer } from '../platform/http-server.ts';

/** Listens on the first of the ports that is free. */
export const listenOn = async (http: HttpServer, ports: readonly number[], host: string): Promise<AddressInfo> => {
  for (const port of ports.slice(0, -1)) {
    try {
      return await http.listen({ port, host });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error;
    }
  }
  return http.listen({ port: ports.at(-1) ?? 0, host });
};
