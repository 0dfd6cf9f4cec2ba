import type { FunctionRun, NamedBundle, OwnerFunction } from '../../../shared/api/contract.ts';

export const createBundle = (mapping?: Record<string, string>, limit?: number): NamedBundle => ({
  name: 'counter',
  bundle: {
    entries: {
      endpoints: [{ endpoint: 'diary/entries', ...(mapping === undefined ? {} : { mapping }) }],
      ...(limit === undefined ? {} : { limit }),
    },
  },
});

/** @param change properties to replace */
export function createRun(change: Partial<FunctionRun> = {}): FunctionRun {
  return {
    runId: '0190a1b2-0000-7000-8000-000000000001',
    functionId: 'counter',
    version: '1.0.0',
    reason: 'manual',
    started: '2026-03-01T10:00:00.000Z',
    finished: '2026-03-01T10:00:01.000Z',
    outcome: 'done',
    message: null,
    chain: ['counter'],
    window: { fromDate: null, untilDate: '2026-03-01T10:00:00.000Z' },
    recordsIn: 3,
    bytesIn: 300,
    recordsOut: 1,
    endpoint: 'counter/made',
    durationMs: 100,
    peakMemoryBytes: 50_000_000,
    undone: null,
    undo: null,
    ...change,
  };
}

interface FunctionChanges extends Partial<Omit<OwnerFunction, 'configuration'>> {
  status?: { available?: boolean; enabled?: boolean; executionStarted?: string; lastExecution?: string };
  dataBundle?: NamedBundle;
  /** True for a function without a configuration. */
  isUnpublished?: boolean;
  name?: string;
}

/** Creates an enabled function without problems, with the given properties replaced. */
export function createFunction({
  status,
  dataBundle,
  isUnpublished = false,
  name = 'Counter',
  ...change
}: FunctionChanges = {}): OwnerFunction {
  const requestedBundle = dataBundle ?? createBundle({ text: 'text' });
  return {
    id: 'counter',
    version: '1.0.0',
    configuration: isUnpublished
      ? null
      : {
          id: change.id ?? 'counter',
          info: { version: '1.0.0', name, headline: '', description: { text: '' } },
          trigger: { triggerType: 'manual' },
          dataBundle: requestedBundle,
          status: { available: true, enabled: true, ...status },
        },
    registered: true,
    place: { kind: 'here', package: true },
    package: { bytes: 1000, sha256: 'ab', installed: '2026-03-01T09:00:00.000Z' },
    limits: { memoryMb: 128, timeoutMs: 60_000 },
    reads: 'new',
    writes: 'counter/made',
    approved: {
      version: '1.0.0',
      time: '2026-03-01T09:00:00.000Z',
      place: { kind: 'here', package: true },
      dataBundle: createBundle({ text: 'text' }),
      writes: 'counter/made',
      trigger: 'manual',
    },
    asksForMore: false,
    problem: null,
    waiting: false,
    queued: false,
    failures: 0,
    nextRun: { kind: 'by hand' },
    lastRun: createRun(),
    cycle: null,
    ...change,
  };
}
