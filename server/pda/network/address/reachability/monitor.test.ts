import { expect, it } from 'vitest';
import { createReachabilityMonitor } from './monitor.ts';
import type { Prober } from './probe.ts';

it('does not probe if the address is removed while the prober is loading', async () => {
  let url: string | undefined = 'https://ada.example';
  const prober: Prober = {
    recordArrival: () => false,
    run: () => Promise.reject(new Error('must not probe')),
  };
  const monitor = createReachabilityMonitor({
    createProber: () => {
      url = undefined;
      return Promise.resolve(prober);
    },
    target: () =>
      url === undefined ? undefined : { url, spki: undefined, loopbackHost: undefined, publicListenerUrl: undefined },
    onDue: () => undefined,
    onResult: () => undefined,
    timers: { schedule: () => () => undefined },
  });
  expect(await monitor.probe(1000)).toBeUndefined();
  expect(monitor.lastProbe()).toBeNull();
});
