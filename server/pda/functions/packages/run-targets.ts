import { Failure } from '../../../platform/failure.ts';
import type { Subject } from '../runs/execution.ts';
import type { FunctionHost, FunctionTarget } from '../runs/function-host.ts';
import type { Installed, Packages } from './installation.ts';
import type { Registered } from '../catalogue/registry.ts';
import { endpointsOf } from '../rules.ts';
import type { Runnable } from '../runs/runner.ts';
import type { FunctionRow, FunctionStore } from '../store.ts';
import { approvedOf, configurationOf, named, publishedOf } from '../catalogue/mapping.ts';

/** Functions as they are asked: where, as what, and what they get at most. */
export type Subjects = {
  /** Where it is asked; when its module is not what was installed, every run of it fails and says so. */
  askedAt(registered: Registered): Promise<{ target: FunctionTarget; host: FunctionHost }>;
  /** undefined: it has not published itself. */
  subjectOf(row: FunctionRow, registered: Registered): Promise<Runnable | undefined>;
  /** A package as a function of which nothing is known here yet. */
  strangerOf(found: Installed): Promise<Runnable>;
};

/** Stands in for a function that cannot be asked. */
const brokenHost = (message: string): FunctionHost => {
  const failed = () => Promise.resolve({ outcome: 'error', message } as const);
  return {
    open: () => ({
      configuration: failed,
      dataBundle: failed,
      process: failed,
      close: () => Promise.resolve({ peakMemoryBytes: undefined, log: [], durationMs: 0 }),
    }),
  };
};

export const createSubjects = (parts: {
  store: FunctionStore;
  packages: Packages;
  hostOf: (registered: Pick<Registered, 'place'>) => FunctionHost;
}): Subjects => {
  const { store } = parts;

  const askedAt: Subjects['askedAt'] = async (registered) => {
    const { id, version, memoryMb, timeoutMs, location, package: row } = registered;
    const target = { id, version, memoryMb: memoryMb ?? 0, timeoutMs, location };
    if (row === undefined) return { target, host: parts.hostOf(registered) };
    const module = await parts.packages.verified(row);
    if (!module.ok) return { target, host: brokenHost(module.problem) };
    return { target: { ...target, location: module.path }, host: parts.hostOf(registered) };
  };

  const subjectOf: Subjects['subjectOf'] = async (row, registered) => {
    const configuration = configurationOf(store, row, registered);
    const published = publishedOf(row);
    if (configuration === undefined || published === undefined) return undefined;
    const approved =
      (row.enabled === 1 ? approvedOf(row)?.dataBundle : undefined) ?? named(row.id, published.dataBundle);
    const { target, host } = await askedAt(registered);
    const subject: Subject = {
      who: { id: row.id, reads: endpointsOf(approved.bundle) },
      target,
      configuration,
      approved,
      endpoint: registered.endpoint,
    };
    return { row, registered, subject, host };
  };

  const strangerOf: Subjects['strangerOf'] = async ({ registered, published }) => {
    const row: FunctionRow = {
      id: registered.id,
      version: registered.version,
      location: registered.location,
      endpoint: registered.endpoint,
      configuration: JSON.stringify(published),
      edition: registered.edition,
      problem: null,
      enabled: 0,
      approved: null,
      approved_at: null,
      last_execution: store.find(registered.id)?.last_execution ?? null,
      cursor: store.find(registered.id)?.cursor ?? null,
      failures: 0,
      failed_event: 0,
      cycle: null,
    };
    const found = await subjectOf(row, registered);
    if (found === undefined) throw new Failure('not_found', `Function ${registered.id} not found`);
    return found;
  };

  return { askedAt, subjectOf, strangerOf };
};
