import { expect, it } from 'vitest';
import { exposureStateOf, type ExposureFacts } from './rules.ts';
import { addressesOf, watchEnvironment } from './reachability/environment-watch.ts';

const up = { phase: 'up', problem: null } as const;
const ready: ExposureFacts = {
  way: 'tunnel',
  hasAddress: true,
  dark: false,
  impostor: false,
  tunnel: { ...up, certificate: { state: 'good', problem: null } },
  probe: { reached: true, problem: null },
};

it.each<[string, Partial<ExposureFacts>, string | null]>([
  ['reachable', {}, null],
  ['reachable', { tunnel: up }, null],
  ['reachable', { tunnel: { ...up, certificate: { state: 'renewing', problem: 'not yet' } } }, null],
  ['off', { way: 'none', dark: true }, null],
  ['off', { hasAddress: false }, 'This PDA has no name yet.'],
  ['dark', { dark: true, impostor: true }, null],
  ['impostor', { impostor: true, probe: { reached: false, problem: 'another key' } }, 'another key'],
  ['refused', { tunnel: { phase: 'refused', problem: 'taken' } }, 'taken'],
  ['connecting', { tunnel: { phase: 'connecting', problem: 'away' } }, 'away'],
  ['connecting', { tunnel: undefined }, null],
  ['certificate', { tunnel: { ...up, certificate: { state: 'none', problem: null } } }, 'There is no certificate yet.'],
  ['certificate', { tunnel: { ...up, certificate: { state: 'expired', problem: 'over' } } }, 'over'],
  ['certificate', { tunnel: { ...up, certificate: { state: 'untrusted', problem: 'revoked' } } }, 'revoked'],
  ['unproven', { probe: null }, null],
  ['unreachable', { probe: { reached: false, problem: 'timeout' } }, 'timeout'],
  ['unproven', { way: 'own', tunnel: undefined, probe: null }, null],
  ['reachable', { way: 'own', tunnel: undefined }, null],
  ['unreachable', { way: 'own', tunnel: { phase: 'failed', problem: 'in use' } }, 'in use'],
  ['connecting', { way: 'localtunnel', hasAddress: false, tunnel: undefined }, null],
  ['unproven', { way: 'localtunnel', tunnel: up, probe: null }, null],
  ['readable', { way: 'localtunnel', tunnel: up }, null],
])('is %s: %j', (state, change, problem) => {
  expect(exposureStateOf({ ...ready, ...change })).toStrictEqual({ state, problem });
});

it('reports sleep, a clock that was set back and a network change, and nothing else', () => {
  let now = 1000;
  let network = 'home';
  let check: () => void = () => undefined;
  const changes: string[] = [];
  const stop = watchEnvironment({
    clock: { now: () => now },
    timers: {
      after(ms, work) {
        expect(ms).toBe(5000);
        check = work;
        return () => {
          check = () => undefined;
        };
      },
    },
    addresses: () => network,
    onChange: (kind) => void changes.push(kind),
  });
  const pass = (ms: number): void => {
    now += ms;
    check();
  };
  pass(5000);
  pass(12_000);
  expect(changes).toStrictEqual([]);
  pass(3_600_000);
  pass(5000);
  network = 'away';
  pass(5000);
  pass(5000);
  pass(-100_000);
  expect(changes).toStrictEqual(['time', 'network', 'time']);
  stop();
  pass(3_600_000);
  expect(changes.length).toBe(3);
});

it('distinguishes networks by the non-loopback addresses of this computer', () => {
  const loopback = { address: '127.0.0.1', internal: true };
  const wireless = { address: '192.168.1.7', internal: false };
  expect(addressesOf({ lo: [loopback], wlan0: [wireless] })).toBe(addressesOf({ wlan0: [wireless] }));
  expect(addressesOf({ wlan0: [wireless] })).not.toBe(addressesOf({ eth0: [wireless] }));
});
