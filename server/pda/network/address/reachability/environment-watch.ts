import type { Clock } from '../../../../platform/clock.ts';
import type { Timers } from '../../../../platform/tunnel/timers.ts';

const CHECK_INTERVAL_MS = 5000;
/** A larger deviation from the expected time of a check means that the computer slept or the clock was set. */
const CLOCK_DEVIATION_MAX_MS = 15_000;

/** Returns the non-loopback addresses of this computer, with their interfaces, as a comparable string. */
export const addressesOf = (interfaces: NodeJS.Dict<{ address: string; internal: boolean }[]>): string =>
  Object.entries(interfaces)
    .flatMap(([name, entries = []]) =>
      entries.filter(({ internal }) => !internal).map(({ address }) => `${name} ${address}`),
    )
    .toSorted()
    .join('\n');

/**
 * Reports sleep and network changes, which break connections silently, and changes of the clock. The returned function
 * stops the watch.
 */
export const watchEnvironment = (parts: {
  clock: Clock;
  timers: Timers;
  addresses: () => string;
  onChange: (kind: 'time' | 'network') => void;
}): (() => void) => {
  const { clock, timers, addresses } = parts;
  let lastTime = clock.now();
  let lastAddresses = addresses();
  let cancel: () => void = () => undefined;
  const check = (): void => {
    const now = clock.now();
    const elapsedMs = now - lastTime;
    lastTime = now;
    const currentAddresses = addresses();
    const hasNetworkChanged = currentAddresses !== lastAddresses;
    lastAddresses = currentAddresses;
    cancel = timers.schedule(CHECK_INTERVAL_MS, check);
    if (Math.abs(elapsedMs - CHECK_INTERVAL_MS) > CLOCK_DEVIATION_MAX_MS) parts.onChange('time');
    else if (hasNetworkChanged) parts.onChange('network');
  };
  cancel = timers.schedule(CHECK_INTERVAL_MS, check);
  return () => cancel();
};
