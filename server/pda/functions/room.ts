import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SafeFetch } from '../../platform/safe-fetch.ts';
import type { FunctionRegistration } from '../../wire/functions.ts';
import type { LedgerService } from '../ledger/service.ts';
import type { QueryService } from '../queries/service.ts';
import type { RecordService } from '../records/service.ts';
import type { Database } from '../storage/index.ts';
import { createConfigurations } from './configurations.ts';
import { PACE, type Pace } from './due.ts';
import { createEngine } from './engine.ts';
import type { FunctionHost } from './execution.ts';
import { createFeed, MAX_FEED_ITEM_BYTES } from './feed.ts';
import { ownerFeedRoutes } from './owner-feed-routes.ts';
import { ownerFunctionRoutes } from './owner-routes.ts';
import { createPackages, type Packages } from './packages.ts';
import { createPausing } from './pausing.ts';
import { createPending } from './pending.ts';
import { createRegistry } from './registry.ts';
import { createRemoteHost } from './remote.ts';
import { functionRoutes } from './routes.ts';
import { createRunner } from './runner.ts';
import { createFunctionService, type FunctionParts } from './service.ts';
import { createThreadedHost, type ThreadedHost } from './sandbox/threaded-host.ts';
import { createFunctionStore } from './store.ts';
import { createSubjects } from './subjects.ts';

export type FunctionRoomParts = Pick<
  FunctionParts,
  'events' | 'endpoints' | 'records' | 'writer' | 'clock' | 'log' | 'deleteRecords' | 'settleIndexes'
> & {
  db: Database;
  /** `functions/` in the home. */
  folder: string;
  registrations: readonly FunctionRegistration[];
  queries: QueryService;
  recordService: RecordService;
  placeOf: (id: string) => number | undefined;
  ledger: Pick<LedgerService, 'write'>;
  safeFetch: SafeFetch;
  /** Runs installed packages; for tests, something else. */
  host?: FunctionHost | undefined;
  /** For tests. */
  pace?: Partial<Pace> | undefined;
  /** For tests: how long one elsewhere may take, in ms. */
  elsewhereMs?: number | undefined;
};

/** Everything about functions, put together. */
export const createFunctionRoom = (parts: FunctionRoomParts) => {
  const { db, registrations, queries, events, endpoints, records, writer, clock, log } = parts;
  const store = createFunctionStore(db);
  const registry = createRegistry({ store, registrations, elsewhereMs: parts.elsewhereMs });

  /** Where runs have their scratch folders. No function can be called so. */
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
    inLine: (...work) => engine.inLine(...work),
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
    engine: () => engine,
    subjects,
    packages,
    afterInstall: async (id) => {
      if (!registry.list().some((one) => one.configured && (one.id === id || one.package?.id === id))) return;
      await configurations.register();
      configurations.start();
    },
  });
  const pending = createPending({ events, endpoints, records, chainOf });
  const runner = createRunner({ ...parts, store, pending, records: parts.recordService });
  const pausing = createPausing({ store, writer, events, clock, onResume: () => engine.resumed() });
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
  const configurations = createConfigurations({
    store,
    registry,
    askedAt: subjects.askedAt,
    inLine: engine.inLine,
    changed,
    writer,
    log,
  });
  const newestAt = (endpoint: string): string | undefined => {
    const [place] = parts.recordService.places(endpoint, { order: 'descending', skip: 0, take: 1 });
    return place === undefined ? undefined : (records.sized(place, MAX_FEED_ITEM_BYTES)?.data ?? undefined);
  };
  const feed = createFeed({ queries, endpoints, newestAt, settleIndexes: parts.settleIndexes });

  return {
    functions: service,
    pausing,
    routes: [
      ...functionRoutes({ functions: service, feed, now: () => clock.now() }),
      ...ownerFunctionRoutes({ functions: service, pausing }),
      ...ownerFeedRoutes({ feed, now: () => clock.now() }),
    ] as const,
    /** What is read often, for the indexes that it takes. */
    bundles: () => [...service.bundles(), ...feed.bundles()],
    /** Puts right what a stop left halfway. Before anything is served. */
    async recover(): Promise<void> {
      await engine.recover();
      await configurations.register();
      const lie = existsSync(parts.folder) ? readdirSync(parts.folder) : [];
      if (lie.some((name) => name !== basename(runsFolder))) await packages.sweep();
      // What runs of a server that was killed left behind goes with the making of the host.
      if (existsSync(runsFolder) && readdirSync(runsFolder).length > 0) hostHere();
    },
    start(): void {
      configurations.start();
      engine.start();
    },
    async close(): Promise<void> {
      await Promise.all([engine.close(), configurations.close()]);
      await sandbox?.close();
    },
  };
};
