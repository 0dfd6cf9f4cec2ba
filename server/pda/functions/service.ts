import type { Readable } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type {
  DryRun,
  DryRunRequest,
  FunctionApproval,
  FunctionConfiguration,
  FunctionRun,
  FunctionRunDetail,
  FunctionRunPage,
  OwnerFunction,
} from '../../wire/functions.ts';
import type { NamedBundle } from '../../wire/query.ts';
import type { EventService } from '../core/events/service.ts';
import type { Endpoints, RecordReader } from '../data/records/service.ts';
import type { Transaction, Writer } from '../storage/index.ts';
import { streamDryRunText, toDryRun } from './runs/dry-run.ts';
import type { Scheduler } from './scheduler/run-loop.ts';
import type { Packages } from './packages/installation.ts';
import type { RegisteredFunction, Registry } from './catalogue/registry.ts';
import { endpointsOf, isOnCycle, type Chain } from './rules.ts';
import type { Runnable } from './runs/runner.ts';
import type { FunctionRow, FunctionStore, RunRow } from './store.ts';
import type { RunTargets } from './packages/run-targets.ts';
import {
  type StoredApproval,
  approvalOf,
  asksForMore,
  configurationOf,
  isAvailable,
  withBundleName,
  publishedOf,
  toOwnerFunction,
  toRun,
} from './catalogue/mapping.ts';

export type FunctionService = {
  /** Returns all functions with a known configuration, even if they are no longer registered. */
  list(): FunctionConfiguration[];
  /** @throws Failure not_found */
  find(id: string): FunctionConfiguration;
  ownerList(): OwnerFunction[];
  /** @throws Failure not_found */
  ownerFind(id: string): OwnerFunction;
  /** @throws Failure not_found */
  isRemote(id: string): boolean;
  /**
   * Enables a function and stores the owner's approval.
   * @param reviewed the properties that the owner reviewed
   * @throws Failure not_found, function_not_available, or wrong_state if the function differs from `reviewed`
   */
  enable(id: string, reviewed?: FunctionApproval): Promise<FunctionConfiguration>;
  /** Disables a function and cancels its run in progress. @throws Failure not_found */
  disable(id: string): Promise<FunctionConfiguration>;
  /**
   * @throws Failure not_found, function_not_available, function_not_enabled, wrong_state if the function is already
   * running or functions are paused, query_limit_exceeded, or the outcome of a failed or cancelled run
   */
  trigger(id: string, useAll: boolean): Promise<FunctionConfiguration>;
  /** Streams a `DryRun`. @throws Failure not_found, function_not_available, wrong_state or query_limit_exceeded */
  dryRun(id: string, request: DryRunRequest): Promise<AsyncGenerator<string>>;
  /** Dry-runs a package. @throws Failure not_found, invalid_input, too_large, wrong_state or query_limit_exceeded */
  tryPackage(path: string): Promise<DryRun>;
  /** Returns a page of runs, newest first. @throws Failure not_found */
  runs(id: string, page: { skip: number; take: number }): FunctionRunPage;
  /** @throws Failure not_found */
  run(id: string, runId: string): Promise<FunctionRunDetail>;
  /**
   * Deletes the records that a run stored.
   * @throws Failure not_found, wrong_state if the run cannot be undone, data_missing or unavailable
   */
  undo(id: string, runId: string): Promise<FunctionRun>;
  /** Makes a run undoable again after the deletion of its records has been undone. */
  handleRestored(tx: Transaction, deletionId: string): void;
  /** @param path folder or zip file @throws Failure not_found, invalid_input, already_exists or too_large */
  install(path: string): Promise<OwnerFunction>;
  /** @param content zip file @throws Failure invalid_input, already_exists or too_large */
  upload(content: Readable): Promise<OwnerFunction>;
  /** @throws Failure not_found, or wrong_state if the function is not a package */
  remove(id: string): Promise<void>;
  /** Returns the approved bundles of enabled functions that read all records, for the index manager. */
  bundles(): NamedBundle[];
};

export type FunctionParts = {
  store: FunctionStore;
  registry: Registry;
  scheduler: () => Scheduler;
  runTargets: RunTargets;
  packages: Packages;
  events: EventService;
  endpoints: Endpoints;
  records: RecordReader;
  writer: Writer;
  clock: Clock;
  log: Log;
  /** Deletes records so that the deletion can be undone. Returns the id of the deletion. */
  deleteRecords: (ids: readonly string[]) => Promise<string>;
  reconcileIndexes: () => void;
  afterInstall: (id: string) => Promise<void>;
};

const MAX_LISTED_RECORDS = 100;
const HEADS_PER_BATCH = 2000;

const unknownFunctionFailure = (id: string): Failure => new Failure('not_found', `There is no function ${id}.`);

type EnabledFunctions = Map<string, { reads: ReadonlySet<string>; writes: string }>;

export const createFunctionService = (parts: FunctionParts) => {
  const { store, registry, runTargets, events, endpoints, records, writer, clock } = parts;
  const { runnableOf, runnableOfPackage } = runTargets;
  let enabledFunctions: EnabledFunctions | undefined;
  /**
   * Ids of runs whose undo is in progress. A second undo would find no records and overwrite the deletion id of the
   * first.
   */
  const runsBeingUndone = new Set<string>();

  const getEnabledFunctions = (): EnabledFunctions => {
    enabledFunctions ??= new Map(
      store.list().flatMap((row) => {
        const approval = row.enabled === 1 ? approvalOf(row) : undefined;
        if (approval === undefined) return [];
        return [[row.id, { reads: endpointsOf(approval.dataBundle.bundle), writes: row.endpoint }]];
      }),
    );
    return enabledFunctions;
  };

  const markChanged = (tx: Transaction, id: string): void => {
    tx.afterCommit(() => {
      enabledFunctions = undefined;
      parts.scheduler().reconsider(id);
    });
    events.notify(tx, 'functions');
  };

  const rowOf = (id: string): FunctionRow => {
    const row = store.find(id);
    if (row === undefined) throw unknownFunctionFailure(id);
    return row;
  };

  const chainOfOrigin = (origin: number): Chain => {
    const { kind, name, reference } = endpoints.originOf(origin);
    if (kind !== 'function') return [];
    const run = store.findRun(reference);
    return run === undefined ? [name] : (JSON.parse(run.chain) as string[]);
  };

  const toApiRun = (run: RunRow): FunctionRun => toRun(run, clock.now());

  const ownerView = (row: FunctionRow): OwnerFunction =>
    toOwnerFunction(store, row, registry.find(row.id), parts.scheduler().scheduleStatusOf(row.id), toApiRun);

  const toConfiguration = (row: FunctionRow): FunctionConfiguration => {
    const configuration = configurationOf(store, row, registry.find(row.id));
    if (configuration === undefined) throw unknownFunctionFailure(row.id);
    return configuration;
  };

  const requireAvailable = (id: string): { row: FunctionRow; registered: RegisteredFunction } => {
    const row = rowOf(id);
    const registered = registry.find(id);
    if (registered === undefined)
      throw new Failure('function_not_available', `Function ${id} is not available: it is no longer registered.`);
    if (!isAvailable(row, registered)) {
      const problem = registered.problem ?? row.problem ?? 'its configuration is not known yet. Try again later.';
      throw new Failure('function_not_available', `Function ${id} is not available: ${problem}`);
    }
    return { row, registered };
  };

  const runOf = (id: string, runId: string): RunRow => {
    const run = store.findRun(runId);
    if (run === undefined || run.function !== id) throw new Failure('not_found', 'Run not found.');
    return run;
  };

  /** Returns up to `limit` existing records of a run, ordered by sequence number. */
  const recordsOf = async (run: RunRow, limit: number): Promise<{ endpoint: string; recordId: string }[]> => {
    const matches: { endpoint: string; recordId: string }[] = [];
    const endpoint = endpoints.find(run.endpoint);
    const origin = endpoints.findOrigin({ kind: 'function', name: run.function, reference: run.id });
    if (endpoint === undefined || origin === undefined || run.first_seq === null || run.last_seq === null)
      return matches;
    for (let after = run.first_seq - 1; matches.length < limit;) {
      const heads = records.listHeads(endpoint, after, run.last_seq, HEADS_PER_BATCH);
      for (const { seq, origin: headOrigin } of heads) {
        const id = headOrigin === origin ? records.head(seq)?.id : undefined;
        if (id !== undefined && matches.length < limit) matches.push({ endpoint: run.endpoint, recordId: id });
      }
      const last = heads.at(-1);
      if (last === undefined || heads.length < HEADS_PER_BATCH) break;
      after = last.seq;
      await new Promise(setImmediate);
    }
    return matches;
  };

  const finishInstallation = async (id: string): Promise<OwnerFunction> => {
    await parts.afterInstall(id);
    parts.reconcileIndexes();
    return ownerView(rowOf(id));
  };

  const service: FunctionService = {
    list: () => store.list().flatMap((row) => configurationOf(store, row, registry.find(row.id)) ?? []),
    find: (id) => toConfiguration(rowOf(id)),
    ownerList: () => store.list().map(ownerView),
    ownerFind: (id) => ownerView(rowOf(id)),
    isRemote: (id) => (registry.find(id)?.place ?? ownerView(rowOf(id)).place).kind === 'elsewhere',

    async enable(id, reviewed) {
      const { row, registered } = requireAvailable(id);
      const published = publishedOf(row);
      if (published === undefined) throw unknownFunctionFailure(id);
      const dataBundle = withBundleName(id, published.dataBundle);
      const hasChanged =
        reviewed !== undefined &&
        (reviewed.version !== registered.version ||
          (reviewed.writes !== undefined && reviewed.writes !== registered.endpoint) ||
          (reviewed.trigger !== undefined && JSON.stringify(reviewed.trigger) !== JSON.stringify(published.trigger)) ||
          (reviewed.dataBundle !== undefined && JSON.stringify(reviewed.dataBundle) !== JSON.stringify(dataBundle)));
      if (hasChanged)
        throw new Failure('wrong_state', 'The function has changed since you opened it. Review it again.');
      const { version, location, endpoint: writes } = registered;
      const trigger = published.trigger.triggerType;
      await writer.write((tx) => {
        store.enable(tx, {
          id,
          approved: JSON.stringify({ version, location, writes, trigger, dataBundle } satisfies StoredApproval),
          approved_at: clock.now(),
          cursor: JSON.stringify({ kind: 'first', events: events.readNewestSeq() }),
        });
        markChanged(tx, id);
      });
      parts.reconcileIndexes();
      return toConfiguration(rowOf(id));
    },

    async disable(id) {
      toConfiguration(rowOf(id));
      await writer.write((tx) => {
        store.disable(tx, id);
        markChanged(tx, id);
      });
      parts.scheduler().stop(id, 'The function was disabled during the run.');
      parts.reconcileIndexes();
      return toConfiguration(rowOf(id));
    },

    async trigger(id, useAll) {
      const { row, registered } = requireAvailable(id);
      if (row.enabled !== 1)
        throw new Failure('function_not_enabled', `Function ${id} is not enabled. Enable it first.`);
      if (asksForMore(row, registered))
        throw new Failure(
          'function_not_enabled',
          `Function ${id} asks for more than you approved. Review it and enable it again.`,
        );
      await parts.scheduler().trigger(id, useAll);
      return toConfiguration(rowOf(id));
    },

    async dryRun(id, { useAll, send }) {
      const { row, registered } = requireAvailable(id);
      // If the function asks for more than was approved, the dry run shows the input that it would receive after a new
      // approval.
      const dryRunRow = asksForMore(row, registered) ? { ...row, enabled: 0 } : row;
      const runnable = await runnableOf(dryRunRow, registered);
      if (runnable === undefined) throw unknownFunctionFailure(id);
      const options = { useAll, send: send ?? registered.place.kind === 'here' };
      return streamDryRunText(registered.endpoint, await parts.scheduler().dryRun(id, runnable, options));
    },

    tryPackage: (path) =>
      parts.packages.withUnpacked(path, async (inspectedPackage) => {
        const { id, endpoint } = inspectedPackage.registered;
        const runnable = await runnableOfPackage(inspectedPackage);
        return toDryRun(endpoint, await parts.scheduler().dryRun(id, runnable, { useAll: false, send: true }));
      }),

    runs(id, { skip, take }) {
      rowOf(id);
      return { total: store.countRuns(id), runs: store.runs(id, skip, take).map(toApiRun) };
    },

    async run(id, runId) {
      const run = runOf(id, runId);
      return {
        ...toApiRun(run),
        log: JSON.parse(store.logOf(runId)) as string[],
        records: await recordsOf(run, MAX_LISTED_RECORDS),
      };
    },

    async undo(id, runId) {
      const run = runOf(id, runId);
      if (run.finished === null)
        throw new Failure('wrong_state', 'This run is still in progress. Wait until it has ended.');
      if (run.undone !== null) throw new Failure('wrong_state', 'This run was already undone.');
      if (run.records_out === 0) throw new Failure('wrong_state', 'This run stored no records.');
      if (runsBeingUndone.has(runId)) throw new Failure('wrong_state', 'This run is already being undone.');
      runsBeingUndone.add(runId);
      try {
        const ids = (await recordsOf(run, Number.POSITIVE_INFINITY)).map(({ recordId }) => recordId);
        const deletion = ids.length === 0 ? null : await parts.deleteRecords(ids);
        await writer.write((tx) => {
          store.setUndone(tx, runId, clock.now(), deletion);
          events.notify(tx, 'functions');
        });
      } finally {
        runsBeingUndone.delete(runId);
      }
      return toApiRun(runOf(id, runId));
    },

    handleRestored(tx, deletionId) {
      if (store.clearUndone(tx, deletionId)) events.notify(tx, 'functions');
    },

    install: async (path) => finishInstallation(await parts.packages.install(path, markChanged)),
    upload: async (content) => finishInstallation(await parts.packages.receive(content, markChanged)),
    async remove(id) {
      rowOf(id);
      const registered = registry.find(id);
      if (registered?.package === undefined)
        throw new Failure(
          'wrong_state',
          'This function is not an installed package. If it is in config.json, remove it there.',
        );
      // Also disables other ids in config.json that use this package: a reinstallation needs a new approval.
      const dependents = registry.list().filter((entry) => entry.package?.id === registered.package?.id);
      for (const { id: dependentId } of dependents)
        parts.scheduler().stop(dependentId, 'The function was removed during the run.');
      await parts.packages.remove(registered.package, (tx, removedId) => {
        for (const { id: dependentId } of dependents) store.disable(tx, dependentId);
        for (const changedId of new Set([removedId, ...dependents.map((dependent) => dependent.id)]))
          markChanged(tx, changedId);
      });
      parts.reconcileIndexes();
    },

    bundles: () =>
      store.list().flatMap((row) => {
        const approval = row.enabled === 1 ? approvalOf(row) : undefined;
        return approval === undefined || registry.find(row.id)?.reads !== 'all' ? [] : [approval.dataBundle];
      }),
  };

  return {
    service,
    chainOfOrigin,
    markChanged,
    forScheduler: {
      enabledIds: () => [...getEnabledFunctions().keys()],
      readsOf: (id: string): ReadonlySet<string> => getEnabledFunctions().get(id)?.reads ?? new Set(),
      isOnCycle: (id: string) => isOnCycle(id, getEnabledFunctions()),
      async findRunnable(id: string): Promise<Runnable | undefined> {
        const row = store.find(id);
        const registered = registry.find(id);
        if (row === undefined || registered === undefined || row.enabled !== 1) return undefined;
        if (!isAvailable(row, registered) || asksForMore(row, registered)) return undefined;
        return runnableOf(row, registered);
      },
    },
  };
};
