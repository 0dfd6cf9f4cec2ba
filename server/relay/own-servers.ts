import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Failure } from '../platform/failure.ts';
import { nextRequestId } from '../platform/request-id.ts';
import { sendFailure } from '../platform/send.ts';
import { MAX_HEADER_BYTES } from '../wire/limits.ts';
import type { Handler } from './api.ts';
import type { Certificate } from './certificate.ts';

const { createServer } = process.getBuiltinModule('node:http');
const { createServer: createTlsServer } = process.getBuiltinModule('node:https');

export type OwnServers = ReturnType<typeof createOwnServers>;

/** The relay's own HTTP, with and without TLS, on lines that were accepted elsewhere and looked at already. */
export const createOwnServers = (parts: { answer: Handler; certificate: Certificate | undefined; lineMs: number }) => {
  const { answer, certificate, lineMs } = parts;
  const open = new Set<Socket>();
  /** What a line hears whatever it asks. */
  const refusals = new WeakMap<Socket, Failure>();
  const options = { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false };

  const plain = createServer(options, (request: IncomingMessage, response: ServerResponse) => {
    const refusal = refusals.get(request.socket);
    if (refusal === undefined) answer(request, response, false);
    else {
      response.shouldKeepAlive = false;
      sendFailure(response, refusal, nextRequestId()).catch(() => response.destroy());
    }
  });
  const secure =
    certificate === undefined
      ? undefined
      : createTlsServer(
          { ...options, ...certificate.current(), minVersion: 'TLSv1.2', ALPNProtocols: ['http/1.1'] },
          (request: IncomingMessage, response: ServerResponse) => answer(request, response, true),
        );
  certificate?.onChange((pair) => secure?.setSecureContext({ ...pair, minVersion: 'TLSv1.2' }));
  for (const server of [plain, secure]) {
    // What is no HTTP has no answer: the line was read once already, and looked like it.
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
