import { Failure } from '../../../platform/failure.ts';
import type { RunSubject } from '../runs/execution.ts';
import type { FunctionHost, FunctionTarget } from '../runs/function-host.ts';
import type { InspectedPackage, Packages } from './installation.ts';
import type { RegisteredFunction } from '../catalogue/registry.ts';
import { endpointsOf } from '../rules.ts';
import type { Runnable } from '../runs/runner.ts';
import type { FunctionRow, FunctionStore } from '../store.ts';
import { approvalOf, configurationOf, withBundleName, publishedOf } from '../catalogue/mapping.ts';

export type RunTargets = {
  /** If the module cannot be read or has changed since its installation, the returned host fails each step. */
  resolveTarget(registered: RegisteredFunction): Promise<{ target: FunctionTarget; host: FunctionHost }>;
  runnableOf(row: FunctionRow, registered: RegisteredFunction): Promise<Runnable | undefined>;
  runnableOfPackage(inspectedPackage: InspectedPackage): Promise<Runnable>;
};

const failingHost = (message: string): FunctionHost => {
  const fail = () => Promise.resolve({ outcome: 'error', message } as const);
  return {
    open: () => ({
      configuration: fail,
      dataBundle: fail,
      process: fail,
      close: () => Promise.resolve({ peakMemoryBytes: undefined, log: [], durationMs: 0 }),
    }),
  };
};

export const createRunTargets = (parts: {
  store: FunctionStore;
  packages: Packages;
  hostOf: (registered: Pick<RegisteredFunction, 'place'>) => FunctionHost;
}): RunTargets => {
  const { store } = parts;

  const resolveTarget: RunTargets['resolveTarget'] = async (registered) => {
    const { version, memoryMb, timeoutMs, location, package: row } = registered;
    // config.json can register a package under a different id, but the package publishes its own.
    const target = { id: row?.id ?? registered.id, version, memoryMb: memoryMb ?? 0, timeoutMs, location };
    if (row === undefined) return { target, host: parts.hostOf(registered) };
    const module = await parts.packages.verify(row);
    if (!module.ok) return { target, host: failingHost(module.problem) };
    return { target: { ...target, location: module.path }, host: parts.hostOf(registered) };
  };

  const runnableOf: RunTargets['runnableOf'] = async (row, registered) => {
    const configuration = configurationOf(store, row, registered);
    const published = publishedOf(row);
    if (configuration === undefined || published === undefined) return undefined;
    const approvedBundle =
      (row.enabled === 1 ? approvalOf(row)?.dataBundle : undefined) ?? withBundleName(row.id, published.dataBundle);
    const { target, host } = await resolveTarget(registered);
    const subject: RunSubject = {
      consumer: { id: row.id, reads: endpointsOf(approvedBundle.bundle) },
      target,
      configuration,
      approvedBundle,
      endpoint: registered.endpoint,
    };
    return { row, registered, subject, host };
  };

  const runnableOfPackage: RunTargets['runnableOfPackage'] = async ({ registered, published }) => {
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
    const runnable = await runnableOf(row, registered);
    if (runnable === undefined) throw new Failure('not_found', `There is no function ${registered.id}.`);
    return runnable;
  };

  return { resolveTarget, runnableOf, runnableOfPackage };
};
