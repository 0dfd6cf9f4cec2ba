import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { Failure } from '../../platform/failure.ts';
import { enableLingeringClose } from '../../platform/http/response/lingering-close.ts';
import { MAX_HEADER_BYTES } from '../../wire/limits.ts';
import type { Certificate } from './certificate.ts';

const DRAIN_POLL_MS = 20;

export type RelayServers = ReturnType<typeof createRelayServers>;

export const createRelayServers = (parts: {
  /** `refusalOf` returns why the ingress refused the request's connection. */
  listenerOf: (refusalOf: (request: IncomingMessage) => Failure | undefined) => RequestListener;
  certificate: Certificate | undefined;
  timeoutMs: number;
}) => {
  const { certificate, timeoutMs } = parts;
  const openSockets = new Set<Socket>();
  const refusals = new WeakMap<Socket, Failure>();
  const options = { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false };
  const listener = parts.listenerOf(({ socket }) => refusals.get(socket));

  const httpServer = createServer(options, listener);
  const httpsServer =
    certificate === undefined
      ? undefined
      : createTlsServer(
          { ...options, ...certificate.currentPair(), minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] },
          listener,
        );
  certificate?.onChange((pair) => httpsServer?.setSecureContext({ ...pair, minVersion: 'TLSv1.2' }));
  for (const server of [httpServer, httpsServer]) {
    if (server !== undefined) enableLingeringClose(server);
    // The ingress has checked the first bytes of each connection, so invalid HTTP gets no response.
    server?.on('clientError', (_error, socket) => socket.destroy());
    server?.on('tlsClientError', (_error: Error, socket: Socket) => socket.destroy());
  }

  const prepareSocket = (socket: Socket, bytes: Buffer): void => {
    openSockets.add(socket);
    // One timeout covers handshake, request and response, because all of them are short.
    const timer = setTimeout(() => socket.destroy(), timeoutMs);
    socket.once('close', () => {
      clearTimeout(timer);
      openSockets.delete(socket);
    });
    socket.unshift(bytes);
  };

  return {
    /** @param bytes the bytes read so far @param refusal the error to respond with */
    acceptPlain(socket: Socket, bytes: Buffer, refusal?: Failure): void {
      if (refusal !== undefined) refusals.set(socket, refusal);
      prepareSocket(socket, bytes);
      httpServer.emit('connection', socket);
      socket.resume();
    },
    /** @param bytes the bytes read so far @returns false without a certificate */
    acceptTls(socket: Socket, bytes: Buffer): boolean {
      if (httpsServer === undefined) return false;
      prepareSocket(socket, bytes);
      httpsServer.emit('connection', socket);
      return true;
    },
    async close(drainMs: number): Promise<void> {
      const deadline = performance.now() + drainMs;
      while (openSockets.size > 0 && performance.now() < deadline)
        await new Promise((resolve) => setTimeout(resolve, DRAIN_POLL_MS));
      for (const socket of openSockets) socket.destroy();
    },
  };
};
