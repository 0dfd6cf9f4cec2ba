import type { PublicListener } from './public-listener.ts';
import type { Tunnel } from './tunnel.ts';

/** Creates the tunnel for the owner's own address: the port to which the owner's reverse proxy forwards requests. */
export const createOwnAddress = (listener: PublicListener): Tunnel => ({
  open: () => listener.open(),
  close: () => listener.close(),
  dispose: () => listener.close(),
  status: () => ({
    phase: listener.problem() === null ? 'up' : 'failed',
    problem: listener.problem(),
    attempts: 0,
    nextAttempt: null,
  }),
  // The proxy maintains the connections.
  wake: () => undefined,
});
