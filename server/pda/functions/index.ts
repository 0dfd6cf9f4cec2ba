import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createLateBinding } from '../../platform/service/late-binding.ts';
import type { Lifecycle } from '../../platform/service/lifecycle.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { FunctionRegistration } from '../../wire/functions.ts';
import type { AccessLogService } from '../sharing/access-log/service.ts';
import type { QueryService } from '../data/queries/service.ts';
import type { Origin, RecordReader, RecordService } from '../data/records/service.ts';
import type { Database, DatabaseThread, Transaction } from '../storage/index.ts';
import { createPublishedConfigurations, type PublishedConfigurations } from './packages/published-configuration.ts';
import { DEFAULT_TIMING, type SchedulerTiming } from './scheduler/due-times.ts';
import { createScheduler, type Scheduler } from './scheduler/run-loop.ts';
import type { FunctionHost } from './runs/function-host.ts';
import { createFeed, MAX_FEED_ITEM_BYTES } from './feed/reader.ts';
import { ownerFunctionRoutes } from './owner-routes.ts';
import { createPackages, type Packages } from './packages/installation.ts';
import { createPauseControl } from './scheduler/pause.ts';
import { createChangeFeedReader } from './runs/change-feed-reader.ts';
import { createRegistry } from './catalogue/registry.ts';
import { createRemoteHost } from './remote/host.ts';
import { functionRoutes } from './routes.ts';
import { createRunner } from './runs/runner.ts';
import { createFunctionService, type FunctionParts } from './service.ts';
import { createThreadedHost, type ThreadedHost } from './sandbox/threaded-host.ts';
import { createRunDayStore } from './runs/run-day-store.ts';
import { createFunctionStore } from './store.ts';
import { createRunTargets } from './packages/run-targets.ts';

export type FunctionModuleParts = Pick<FunctionParts, 'events' | 'endpoints' | 'writer' | 'clock' | 'log'> & {
  db: Database;
  reader: Pick<DatabaseThread, 'all'>;
  /** `functions/` in the home. */
  folder: string;
  registrations: readonly FunctionRegistration[];
  queries: QueryService;
  indexes: { reconcile(): void };
  records: RecordService;
  recordStore: RecordReader;
  deletions: {
    deleteRecords(ids: readonly string[], origin: Origin): Promise<{ deletionId: string }>;
    onRestore(listener: (tx: Transaction, deletionId: string) => void): void;
  };
  lifecycle: Lifecycle;
  ledger: Pick<AccessLogService, 'write'>;
  safeFetch: SafeFetch;
  host?: FunctionHost | undefined;
  timing?: Partial<SchedulerTiming> | undefined;
  /** Time limit for a remote function in milliseconds; for tests. */
  remoteTimeoutMs?: number | undefined;
};

const OWNER: Origin = { kind: 'owner', name: 'owner' };

export const createFunctions = (parts: FunctionModuleParts) => {
  const { db, registrations, queries, indexes, deletions, events, endpoints, writer, lifecycle, clock, log } = parts;
  const { records: recordService, recordStore: records } = parts;
  const schedulerBinding = createLateBinding<Scheduler>('the scheduler of functions');
  const configurationsBinding = createLateBinding<PublishedConfigurations>('the configurations of functions');
  const store = createFunctionStore(db);
  const registry = createRegistry({ store, registrations, remoteTimeoutMs: parts.remoteTimeoutMs });

  /** Parent of the scratch folders of runs. Function ids never begin with a dot, so no package has this folder. */
  const runsFolder = join(parts.folder, '.runs');
  let sandbox: ThreadedHost | undefined;
  const ensureSandbox = (): ThreadedHost => (sandbox ??= createThreadedHost({ folder: runsFolder, log }));
  const ensureLocalHost = (): FunctionHost => parts.host ?? ensureSandbox();
  const remoteHost = createRemoteHost(parts.safeFetch);
  const packages: Packages = createPackages({
    folder: parts.folder,
    store,
    isRemoteId: (id) => registry.find(id)?.place.kind === 'elsewhere',
    host: ensureLocalHost,
    runQueued: (work) => schedulerBinding.get().runQueued(work),
    writer,
    clock,
    log,
  });

  const runTargets = createRunTargets({
    store,
    packages,
    hostOf: ({ place }) => (place.kind === 'here' ? ensureLocalHost() : remoteHost),
  });
  const { service, chainOfOrigin, markChanged, forScheduler } = createFunctionService({
    ...parts,
    store,
    registry,
    scheduler: schedulerBinding.get,
    runTargets,
    packages,
    records,
    deleteRecords: async (ids) => (await deletions.deleteRecords(ids, OWNER)).deletionId,
    reconcileIndexes: indexes.reconcile,
    afterInstall: async (id) => {
      if (!registry.list().some((entry) => entry.isInConfig && (entry.id === id || entry.package?.id === id))) return;
      await configurationsBinding.get().register();
      configurationsBinding.get().start();
    },
  });
  const changeFeed = createChangeFeedReader({ events, endpoints, records, chainOfOrigin });
  const runner = createRunner({ ...parts, store, changeFeed, records: recordService });
  const pauseControl = createPauseControl({
    store,
    writer,
    events,
    clock,
    onResume: () => schedulerBinding.get().handleResume(),
  });
  const scheduler = createScheduler({
    ...forScheduler,
    isPaused: () => pauseControl.pausedSince() !== undefined,
    store,
    runner,
    changeFeed,
    events,
    endpoints,
    writer,
    clock,
    log,
    timing: { ...DEFAULT_TIMING, ...parts.timing },
  });
  schedulerBinding.register(scheduler);
  const configurations = createPublishedConfigurations({
    store,
    registry,
    resolveTarget: runTargets.resolveTarget,
    runQueued: scheduler.runQueued,
    markChanged,
    writer,
    log,
  });
  configurationsBinding.register(configurations);
  const newestRecordOf = (endpoint: string): string | undefined => {
    const [seq] = recordService.seqs(endpoint, { order: 'descending', skip: 0, take: 1 });
    return seq === undefined ? undefined : (records.findSized(seq, MAX_FEED_ITEM_BYTES)?.data ?? undefined);
  };
  const feed = createFeed({ queries, endpoints, newestRecordOf, reconcileIndexes: indexes.reconcile });

  queries.addBundleSource({ bundles: () => [...service.bundles(), ...feed.bundles()], hasName: () => false });
  deletions.onRestore(service.handleRestored);
  lifecycle.onClose('functions', async () => {
    await Promise.all([scheduler.close(), configurations.close()]);
    await sandbox?.close();
  });

  return {
    functions: service,
    pauseControl,
    runDays: createRunDayStore(parts.reader),
    routes: [
      ...functionRoutes({ functions: service, feed, now: () => clock.now() }),
      ...ownerFunctionRoutes({ functions: service, pauseControl }),
    ] as const,
    /** Recovers interrupted operations and stores changed registrations. Must run before the first request. */
    async recover(): Promise<void> {
      await scheduler.recover();
      await configurations.register();
      const entries = existsSync(parts.folder) ? readdirSync(parts.folder) : [];
      if (entries.some((name) => name !== basename(runsFolder))) await packages.removeLeftovers();
      // A killed server can leave processes and scratch folders of runs behind.
      if (parts.host === undefined && existsSync(runsFolder) && readdirSync(runsFolder).length > 0)
        ensureSandbox().removeLeftovers();
    },
    start(): void {
      configurations.start();
      scheduler.start();
    },
  };
};

export type FunctionModule = ReturnType<typeof createFunctions>;
