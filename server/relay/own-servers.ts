import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Failure } from '../platform/failure.ts';
import { enableLingeringClose } from '../platform/lingering-close.ts';
import { MAX_HEADER_BYTES } from '../wire/limits.ts';
import type { Certificate } from './certificate.ts';

export type OwnServers = ReturnType<typeof createOwnServers>;

/** The relay's own HTTP servers, with and without TLS, for connections that the front accepted and inspected. */
export const createOwnServers = (parts: {
  /** The request listener; `refusalOf` tells it which connections to refuse. */
  listenerOf: (refusalOf: (request: IncomingMessage) => Failure | undefined) => RequestListener;
  certificate: Certificate | undefined;
  lineMs: number;
}) => {
  const { certificate, lineMs } = parts;
  const open = new Set<Socket>();
  const refusals = new WeakMap<Socket, Failure>();
  const options = { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false };
  const listener = parts.listenerOf(({ socket }) => refusals.get(socket));

  const plain = createServer(options, listener);
  const secure =
    certificate === undefined
      ? undefined
      : createTlsServer(
          { ...options, ...certificate.current(), minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] },
          listener,
        );
  certificate?.onChange((pair) => secure?.setSecureContext({ ...pair, minVersion: 'TLSv1.2' }));
  for (const server of [plain, secure]) {
    if (server !== undefined) enableLingeringClose(server);
    // The first bytes were checked before the connection came here, so invalid HTTP gets no response.
    server?.on('clientError', (_error, socket) => socket.destroy());
    server?.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
  }

  const take = (socket: Socket, bytes: Buffer): void => {
    open.add(socket);
    // One bound for all of it, handshake, request and answer: nothing here takes long.
    const timer = setTimeout(() => socket.destroy(), lineMs);
    socket.once('close', () => {
      clearTimeout(timer);
      open.delete(socket);
    });
    socket.unshift(bytes);
  };

  return {
    plain(socket: Socket, bytes: Buffer, refusal?: Failure): void {
      if (refusal !== undefined) refusals.set(socket, refusal);
      take(socket, bytes);
      plain.emit('connection', socket);
      socket.resume();
    },
    /** @returns false when there is no certificate to do it with */
    secure(socket: Socket, bytes: Buffer): boolean {
      if (secure === undefined) return false;
      take(socket, bytes);
      secure.emit('connection', socket);
      return true;
    },
    /** Waits for answers under way, so long at most. */
    async close(withinMs: number): Promise<void> {
      const until = performance.now() + withinMs;
      while (open.size > 0 && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
      for (const socket of open) socket.destroy();
    },
  };
};
