import type { Timers } from '../../../../platform/tunnel/timers.ts';
import type { Probe } from '../../../../wire/exposure.ts';
import type { Found, ProbeArrival, Prober, ProbeTarget } from './probe.ts';

/** Tries from outside: now and then, when something changed, and when the owner wants one. Keeps what the last one found. */
export type Prover = {
  /** Since this PDA was ready last; null: not tried since. */
  current(): Probe | null;
  /** The last one, whenever it was. */
  last(): Probe | null;
  impostor(): boolean;
  /** What was found before says nothing of how it is now. */
  outdated(): void;
  /** Tries again by itself after so many milliseconds, as long as nothing else comes in between. */
  later(ms: number): void;
  /** Undefined: there is nothing to try (any more). */
  now(ms: number): Promise<Found | undefined>;
  /** Whether it is the request of a probe that is under way; notes where it arrived. */
  isOurs(word: string | string[] | undefined, arrival: ProbeArrival): boolean;
  /** It is not wanted any more; what was found is forgotten. */
  reset(): void;
  close(): void;
};

export const createProver = (parts: {
  /** Loaded by the first try. */
  prober: () => Promise<Prober>;
  /** Undefined: there is nothing to try. */
  target: () => Omit<ProbeTarget, 'ms'> | undefined;
  /** Tries that this room began itself. */
  onDue: () => void;
  onFound: (found: Found) => void;
  timers: Timers;
}): Prover => {
  let prober: Prober | undefined;
  let found: Found | null = null;
  let isCurrent = false;
  let isImpostor = false;
  let turn = 0;
  let leave: () => void = () => undefined;
  const told = (): Probe | null => {
    if (found === null) return null;
    const { at, reached, ms, problem, localAccess } = found;
    return { at, reached, ms, problem, localAccess };
  };

  return {
    current: () => (isCurrent ? told() : null),
    last: told,
    impostor: () => isImpostor,
    outdated() {
      isCurrent = false;
      turn += 1;
    },
    later(ms) {
      leave();
      leave = parts.timers.after(ms, parts.onDue);
    },
    async now(ms) {
      prober ??= await parts.prober();
      const mine = turn;
      const target = parts.target();
      if (target === undefined) return undefined;
      const result = await prober.run({ ...target, ms });
      // Of what is not so any more nobody wants to hear.
      if (mine === turn) {
        found = result;
        isCurrent = true;
        isImpostor = result.impostor || (isImpostor && !result.reached);
        parts.onFound(result);
      }
      return result;
    },
    isOurs: (word, arrival) => prober?.isOurs(word, arrival) === true,
    reset() {
      leave();
      turn += 1;
      found = null;
      isCurrent = false;
      isImpostor = false;
    },
    close: () => leave(),
  };
};
