import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Addresses } from './private-addresses.ts';

/** A listener on every address of this machine, to which a server connects only in development mode. */
export type Canary = {
  port: number;
  connections: number;
  /** Response to any request. */
  response: string;
  close(): void;
};

export const REFUSAL_RESPONSE = 'HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

export const startCanary = async (): Promise<Canary> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    canary.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', () => socket.end(canary.response));
  });
  await new Promise<void>((resolve, reject) => {
    // A machine without IPv6 listens on IPv4 only.
    server.once('error', () => server.listen(0, '0.0.0.0', resolve).once('error', reject));
    server.listen(0, '::', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const canary: Canary = {
    port,
    connections: 0,
    response: REFUSAL_RESPONSE,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return canary;
};

/** Builds a response that redirects to the canary at this port. */
export const redirectTo = (port: number, status: number): string =>
  `HTTP/1.1 ${status} Go\r\nlocation: http://127.0.0.1:${port}/inside\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;

/**
 * Creates a DNS resolver that reports each lookup.
 * @param find finds the function that returns the addresses of a host; undefined if the name does not exist
 */
export const createResolver =
  (onLookup: (host: string) => void, find: (host: string) => (() => Addresses) | undefined) =>
  (host: string): Promise<Addresses> => {
    onLookup(host);
    const addresses = find(host);
    return addresses === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(addresses());
  };
