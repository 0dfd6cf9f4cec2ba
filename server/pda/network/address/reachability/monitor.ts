import type { Timers } from '../../../../platform/tunnel/timers.ts';
import type { Probe } from '../../../../wire/exposure.ts';
import type { ProbeArrival, Prober, ProbeResult, ProbeTarget } from './probe.ts';

export type ReachabilityMonitor = {
  /** Returns the last result; null if there is none, or if it is outdated. */
  currentProbe(): Probe | null;
  lastProbe(): Probe | null;
  /** Returns true if another server responded at the public address, and this PDA has not been reached since. */
  hasImpostor(): boolean;
  /** Marks the last result as outdated and ignores the probe in progress. */
  invalidate(): void;
  schedule(ms: number): void;
  /** Probes immediately. @returns undefined if there is no address to probe */
  probe(timeoutMs: number): Promise<ProbeResult | undefined>;
  /** Records where a request of a probe arrived. Returns false if the request belongs to no probe in progress. */
  recordArrival(secret: string | string[] | undefined, arrival: ProbeArrival): boolean;
  reset(): void;
  close(): void;
};

export const createReachabilityMonitor = (parts: {
  createProber: () => Promise<Prober>;
  target: () => Omit<ProbeTarget, 'timeoutMs'> | undefined;
  onDue: () => void;
  onResult: (result: ProbeResult) => void;
  timers: Timers;
}): ReachabilityMonitor => {
  let prober: Prober | undefined;
  let lastResult: ProbeResult | null = null;
  let isCurrent = false;
  let isImpostor = false;
  let generation = 0;
  let cancelScheduled: () => void = () => undefined;
  const toProbe = (): Probe | null => {
    if (lastResult === null) return null;
    const { at, reached, ms, problem, localAccess } = lastResult;
    return { at, reached, ms, problem, localAccess };
  };

  return {
    currentProbe: () => (isCurrent ? toProbe() : null),
    lastProbe: toProbe,
    hasImpostor: () => isImpostor,
    invalidate() {
      isCurrent = false;
      generation += 1;
    },
    schedule(ms) {
      cancelScheduled();
      cancelScheduled = parts.timers.schedule(ms, parts.onDue);
    },
    async probe(timeoutMs) {
      prober ??= await parts.createProber();
      const startGeneration = generation;
      const target = parts.target();
      if (target === undefined) return undefined;
      const result = await prober.run({ ...target, timeoutMs });
      if (startGeneration === generation) {
        lastResult = result;
        isCurrent = true;
        isImpostor = result.impostor || (isImpostor && !result.reached);
        parts.onResult(result);
      }
      return result;
    },
    recordArrival: (secret, arrival) => prober?.recordArrival(secret, arrival) === true,
    reset() {
      cancelScheduled();
      generation += 1;
      lastResult = null;
      isCurrent = false;
      isImpostor = false;
    },
    close: () => cancelScheduled(),
  };
};
