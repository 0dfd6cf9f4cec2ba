import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pda } from '../../server/pda/pda.ts';

/** A TCP forwarder such as socat or `ssh -R`. It adds no header, and all its connections come from 127.0.0.1. */
export type Forwarder = { readonly port: number; target: number; close(): Promise<void> };

export const startForwarder = async (target: number): Promise<Forwarder> => {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const upstream = connect({ port: self.target, host: '127.0.0.1', allowHalfOpen: true });
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const self = {
    port: (server.address() as AddressInfo).port,
    target,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return self;
};

/** Waits until the public port accepts connections. @returns the port to which the owner's proxy forwards */
export const waitForPublicPort = async (pda: Pda): Promise<number> => {
  for (;;) {
    const { publicListener } = pda.exposure.view('');
    if (publicListener !== null) {
      const port = Number(new URL(publicListener).port);
      const socket = connect(port, '127.0.0.1');
      const isOpen = await once(socket, 'connect').then(
        () => true,
        () => false,
      );
      socket.destroy();
      if (isOpen) return port;
    }
    await wait(5);
  }
};
