import { expect, it } from 'vitest';
import { createProver } from './monitor.ts';
import type { Prober } from './probe.ts';

it('tries nothing when the address was given up while the first try was being prepared', async () => {
  let url: string | undefined = 'https://ada.example';
  const prober: Prober = {
    isOurs: () => false,
    run: () => Promise.reject(new Error('there is nothing to try')),
  };
  const prover = createProver({
    prober: () => {
      url = undefined;
      return Promise.resolve(prober);
    },
    target: () =>
      url === undefined ? undefined : { url, spki: undefined, loopbackHost: undefined, publicListenerUrl: undefined },
    onDue: () => undefined,
    onFound: () => undefined,
    timers: { after: () => () => undefined },
  });
  expect(await prover.now(1000)).toBeUndefined();
  expect(prover.last()).toBeNull();
});
