import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Found } from './inside.ts';

/** A listener on every address of this machine that a server under test must never reach. */
export type Canary = {
  port: number;
  connections: number;
  /** Its response to any request. */
  says: string;
  close(): void;
};

/** Its default response. */
export const NO = 'HTTP/1.1 500 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n';

export const startCanary = async (): Promise<Canary> => {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    canary.connections += 1;
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', () => socket.end(canary.says));
  });
  await new Promise<void>((resolve, reject) => {
    // A machine without IPv6 has only the half of it.
    server.once('error', () => server.listen(0, '0.0.0.0', resolve).once('error', reject));
    server.listen(0, '::', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const canary: Canary = {
    port,
    connections: 0,
    says: NO,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
  return canary;
};

/** An answer that leads back to it. */
export const redirectTo = (port: number, status: number): string =>
  `HTTP/1.1 ${status} Go\r\nlocation: http://127.0.0.1:${port}/inside\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`;

/** A name service that knows some names, and tells for which it was asked. */
export const nameService =
  (asked: (host: string) => void, find: (host: string) => (() => Found) | undefined) =>
  (host: string): Promise<Found> => {
    asked(host);
    const found = find(host);
    return found === undefined ? Promise.reject(new Error('ENOTFOUND')) : Promise.resolve(found());
  };
