import type { Clock } from '../../../../platform/clock.ts';
import type { Timers } from '../../../../platform/tunnel/timers.ts';

/** Milliseconds between two looks. */
const LOOK_MS = 5000;
/** Milliseconds by which the clock may be ahead of what was waited for: more than that is a computer that slept, or a clock that was set. */
const SLEPT_MS = 15_000;

/** Addresses of this computer, but for those that lead to itself. */
export const addressesOf = (interfaces: NodeJS.Dict<{ address: string; internal: boolean }[]>): string =>
  Object.entries(interfaces)
    .flatMap(([name, found = []]) =>
      found.filter(({ internal }) => !internal).map(({ address }) => `${name} ${address}`),
    )
    .toSorted()
    .join('\n');

/** Hears of what breaks connections without a word: sleep, and another network. Returns how to stop. */
export const watchSurroundings = (parts: {
  clock: Clock;
  timers: Timers;
  /** As `addressesOf` writes them. */
  addresses: () => string;
  onChange: (what: 'time' | 'network') => void;
}): (() => void) => {
  const { clock, timers, addresses } = parts;
  let lastTime = clock.now();
  let lastAddresses = addresses();
  let leave: () => void = () => undefined;
  const look = (): void => {
    const now = clock.now();
    const passed = now - lastTime;
    lastTime = now;
    const found = addresses();
    const isOther = found !== lastAddresses;
    lastAddresses = found;
    leave = timers.after(LOOK_MS, look);
    if (passed > LOOK_MS + SLEPT_MS || passed < -SLEPT_MS) parts.onChange('time');
    else if (isOther) parts.onChange('network');
  };
  leave = timers.after(LOOK_MS, look);
  return () => leave();
};
