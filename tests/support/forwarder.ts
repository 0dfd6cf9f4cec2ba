import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { Pda } from '../../server/pda/pda.ts';

/** A forwarder of bytes such as socat or `ssh -R`: it adds no header, and every visitor arrives from 127.0.0.1. */
export type Forwarder = { readonly port: number; target: number; close(): Promise<void> };

export const startForwarder = async (target: number): Promise<Forwarder> => {
  const sockets = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (visitor) => {
    const onward = connect({ port: self.target, host: '127.0.0.1', allowHalfOpen: true });
    for (const [socket, other] of [
      [visitor, onward],
      [onward, visitor],
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

/** The port that the owner's proxy points at, once it accepts connections. */
export const publicPortOf = async (pda: Pda): Promise<number> => {
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
