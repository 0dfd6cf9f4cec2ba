import { expect, it } from 'vitest';
import { exposureStateOf, type ExposureFacts } from './rules.ts';
import { addressesOf, watchEnvironment } from './reachability/environment-watch.ts';

const UP_STATUS = { phase: 'up', problem: null } as const;
const REACHABLE_FACTS: ExposureFacts = {
  way: 'tunnel',
  hasAddress: true,
  isDark: false,
  hasImpostor: false,
  tunnel: { ...UP_STATUS, certificate: { state: 'good', problem: null } },
  probe: { reached: true, problem: null },
};

it.each<[string, Partial<ExposureFacts>, string | null]>([
  ['reachable', {}, null],
  ['reachable', { tunnel: UP_STATUS }, null],
  ['reachable', { tunnel: { ...UP_STATUS, certificate: { state: 'renewing', problem: 'not yet' } } }, null],
  ['off', { way: 'none', isDark: true }, null],
  ['off', { hasAddress: false }, 'This PDA has no name yet.'],
  ['dark', { isDark: true, hasImpostor: true }, null],
  ['impostor', { hasImpostor: true, probe: { reached: false, problem: 'another key' } }, 'another key'],
  ['refused', { tunnel: { phase: 'refused', problem: 'taken' } }, 'taken'],
  ['connecting', { tunnel: { phase: 'connecting', problem: 'away' } }, 'away'],
  ['connecting', { tunnel: undefined }, null],
  [
    'certificate',
    { tunnel: { ...UP_STATUS, certificate: { state: 'none', problem: null } } },
    'There is no certificate yet.',
  ],
  ['certificate', { tunnel: { ...UP_STATUS, certificate: { state: 'expired', problem: 'over' } } }, 'over'],
  ['certificate', { tunnel: { ...UP_STATUS, certificate: { state: 'untrusted', problem: 'revoked' } } }, 'revoked'],
  ['unproven', { probe: null }, null],
  ['unreachable', { probe: { reached: false, problem: 'timeout' } }, 'timeout'],
  ['unproven', { way: 'own', tunnel: undefined, probe: null }, null],
  ['reachable', { way: 'own', tunnel: undefined }, null],
  ['unreachable', { way: 'own', tunnel: { phase: 'failed', problem: 'in use' } }, 'in use'],
  ['connecting', { way: 'localtunnel', hasAddress: false, tunnel: undefined }, null],
  ['unproven', { way: 'localtunnel', tunnel: UP_STATUS, probe: null }, null],
  ['readable', { way: 'localtunnel', tunnel: UP_STATUS }, null],
])('the public address is %s for %o', (state, change, problem) => {
  expect(exposureStateOf({ ...REACHABLE_FACTS, ...change })).toStrictEqual({ state, problem });
});

it('watchEnvironment reports sleep, a clock that was set back and a network change, and nothing else', () => {
  let now = 1000;
  let addresses = 'home';
  let check: () => void = () => undefined;
  const changes: string[] = [];
  const stop = watchEnvironment({
    clock: { now: () => now },
    timers: {
      schedule(ms, work) {
        expect(ms).toBe(5000);
        check = work;
        return () => {
          check = () => undefined;
        };
      },
    },
    addresses: () => addresses,
    onChange: (kind) => void changes.push(kind),
  });
  const advance = (ms: number): void => {
    now += ms;
    check();
  };
  advance(5000);
  advance(12_000);
  expect(changes).toStrictEqual([]);
  advance(3_600_000);
  advance(5000);
  addresses = 'away';
  advance(5000);
  advance(5000);
  advance(-100_000);
  expect(changes).toStrictEqual(['time', 'network', 'time']);
  stop();
  advance(3_600_000);
  expect(changes.length).toBe(3);
});

it('addressesOf distinguishes networks by the non-loopback interfaces of this computer', () => {
  const loopback = { address: '127.0.0.1', internal: true };
  const wireless = { address: '192.168.1.7', internal: false };
  expect(addressesOf({ lo: [loopback], wlan0: [wireless] })).toBe(addressesOf({ wlan0: [wireless] }));
  expect(addressesOf({ wlan0: [wireless] })).not.toBe(addressesOf({ eth0: [wireless] }));
});
