import type { PublicListener } from './public-listener.ts';
import type { Tunnel } from './tunnel.ts';

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
  // The forwarder maintains the connections.
  wake: () => undefined,
});
