import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { createLateBinding } from '../../platform/service/late-binding.ts';
import type { Lifecycle } from '../../platform/service/lifecycle.ts';
import type { SafeFetch } from '../../platform/outbound/safe-fetch.ts';
import type { FunctionRegistration } from '../../wire/functions.ts';
import { seqOfId } from '../core/sequence.ts';
import type { LedgerService } from '../sharing/access-log/service.ts';
import type { QueryService } from '../data/queries/service.ts';
import type { Origin, RecordReader, RecordService } from '../data/records/service.ts';
import type { Database, Transaction } from '../storage/index.ts';
import { createConfigurations, type Configurations } from './packages/published-configuration.ts';
import { PACE, type Pace } from './scheduler/due-times.ts';
import { createEngine, type Engine } from './scheduler/run-loop.ts';
import type { FunctionHost } from './runs/function-host.ts';
import { createFeed, MAX_FEED_ITEM_BYTES } from './feed/reader.ts';
import { ownerFeedRoutes } from './feed/owner-routes.ts';
import { ownerFunctionRoutes } from './owner-routes.ts';
import { createPackages, type Packages } from './packages/installation.ts';
import { createPausing } from './scheduler/pause.ts';
import { createPending } from './runs/change-feed-reader.ts';
import { createRegistry } from './catalogue/registry.ts';
import { createRemoteHost } from './remote/host.ts';
import { functionRoutes } from './routes.ts';
import { createRunner } from './runs/runner.ts';
import { createFunctionService, type FunctionParts } from './service.ts';
import { createThreadedHost, type ThreadedHost } from './sandbox/threaded-host.ts';
import { createFunctionStore } from './store.ts';
import { createSubjects } from './packages/run-targets.ts';

export type FunctionModuleParts = Pick<FunctionParts, 'events' | 'endpoints' | 'writer' | 'clock' | 'log'> & {
  db: Database;
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
  ledger: Pick<LedgerService, 'write'>;
  safeFetch: SafeFetch;
  /** Replaces the sandbox; for tests. */
  host?: FunctionHost | undefined;
  /** Shortens the waits of the scheduler; for tests. */
  pace?: Partial<Pace> | undefined;
  /** Time limit of a remote function in milliseconds; for tests. */
  elsewhereMs?: number | undefined;
};

const OWNER: Origin = { kind: 'owner', name: 'owner' };

/** Creates the functions, and registers them with the queries and the deletions. */
export const createFunctions = (parts: FunctionModuleParts) => {
  const { db, registrations, queries, indexes, deletions, events, endpoints, writer, lifecycle, clock, log } = parts;
  const { records: recordService, recordStore: records } = parts;
  const engineBinding = createLateBinding<Engine>('the scheduler of functions');
  const configurationsBinding = createLateBinding<Configurations>('the configurations of functions');
  const store = createFunctionStore(db);
  const registry = createRegistry({ store, registrations, elsewhereMs: parts.elsewhereMs });

  /** Scratch folders of runs. No function id begins with a dot. */
  const runsFolder = join(parts.folder, '.runs');
  let sandbox: ThreadedHost | undefined;
  /** The sandbox starts with the first run. */
  const hostHere = (): FunctionHost => parts.host ?? (sandbox ??= createThreadedHost({ folder: runsFolder, log }));
  const hostElsewhere = createRemoteHost(parts.safeFetch);
  const packages: Packages = createPackages({
    folder: parts.folder,
    store,
    taken: (id) => registry.find(id)?.place.kind === 'elsewhere',
    host: hostHere,
    inLine: (work) => engineBinding.get().inLine(work),
    writer,
    clock,
    log,
  });

  const subjects = createSubjects({
    store,
    packages,
    hostOf: ({ place }) => (place.kind === 'here' ? hostHere() : hostElsewhere),
  });
  const { service, chainOf, changed, forEngine } = createFunctionService({
    ...parts,
    store,
    registry,
    engine: engineBinding.get,
    subjects,
    packages,
    records,
    deleteRecords: async (ids) => (await deletions.deleteRecords(ids, OWNER)).deletionId,
    settleIndexes: indexes.reconcile,
    afterInstall: async (id) => {
      if (!registry.list().some((one) => one.configured && (one.id === id || one.package?.id === id))) return;
      await configurationsBinding.get().register();
      configurationsBinding.get().start();
    },
  });
  const pending = createPending({ events, endpoints, records, chainOf });
  const runner = createRunner({ ...parts, store, pending, records: recordService, seqOfId });
  const pausing = createPausing({ store, writer, events, clock, onResume: () => engineBinding.get().resumed() });
  const engine = createEngine({
    ...forEngine,
    isPaused: () => pausing.since() !== undefined,
    store,
    runner,
    pending,
    events,
    endpoints,
    writer,
    clock,
    log,
    pace: { ...PACE, ...parts.pace },
  });
  engineBinding.register(engine);
  const configurations = createConfigurations({
    store,
    registry,
    askedAt: subjects.askedAt,
    inLine: engine.inLine,
    changed,
    writer,
    log,
  });
  configurationsBinding.register(configurations);
  const newestAt = (endpoint: string): string | undefined => {
    const [place] = recordService.seqs(endpoint, { order: 'descending', skip: 0, take: 1 });
    return place === undefined ? undefined : (records.sized(place, MAX_FEED_ITEM_BYTES)?.data ?? undefined);
  };
  const feed = createFeed({ queries, endpoints, newestAt, settleIndexes: indexes.reconcile });

  queries.addBundleSource({ bundles: () => [...service.bundles(), ...feed.bundles()], hasName: () => false });
  deletions.onRestore(service.handleRestored);
  lifecycle.onClose('functions', async () => {
    await Promise.all([engine.close(), configurations.close()]);
    await sandbox?.close();
  });

  return {
    functions: service,
    pausing,
    routes: [
      ...functionRoutes({ functions: service, feed, now: () => clock.now() }),
      ...ownerFunctionRoutes({ functions: service, pausing }),
      ...ownerFeedRoutes({ feed, now: () => clock.now() }),
    ] as const,
    /** Completes or reverts what a stop interrupted. Must run before the first request. */
    async recover(): Promise<void> {
      await engine.recover();
      await configurations.register();
      const entries = existsSync(parts.folder) ? readdirSync(parts.folder) : [];
      if (entries.some((name) => name !== basename(runsFolder))) await packages.sweep();
      // Creating the host removes the scratch folders that a killed server left behind.
      if (existsSync(runsFolder) && readdirSync(runsFolder).length > 0) hostHere();
    },
    start(): void {
      configurations.start();
      engine.start();
    },
  };
};

export type FunctionModule = ReturnType<typeof createFunctions>;
