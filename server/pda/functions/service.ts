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
import { dryRunText, toDryRun } from './runs/dry-run.ts';
import type { Engine } from './scheduler/run-loop.ts';
import type { Packages } from './packages/installation.ts';
import type { Registered, Registry } from './catalogue/registry.ts';
import { endpointsOf, isOnCycle, type Chain } from './rules.ts';
import type { Runnable } from './runs/runner.ts';
import type { FunctionRow, FunctionStore, RunRow } from './store.ts';
import type { Subjects } from './packages/run-targets.ts';
import {
  type Approved,
  approvedOf,
  asksForMore,
  configurationOf,
  isAvailable,
  named,
  publishedOf,
  toOwner,
  toRun,
} from './catalogue/mapping.ts';

export type FunctionService = {
  /** Every function that has published itself, also of those that are not registered any more. */
  list(): FunctionConfiguration[];
  /** @throws Failure not_found */
  find(id: string): FunctionConfiguration;
  ownerList(): OwnerFunction[];
  ownerFind(id: string): OwnerFunction;
  /** Whether it runs elsewhere: what it reads leaves, and only the owner agrees to that. @throws Failure not_found */
  isElsewhere(id: string): boolean;
  /** @param seen what the owner looked at. @throws Failure not_found | function_not_available | wrong_state */
  enable(id: string, seen?: FunctionApproval): Promise<FunctionConfiguration>;
  disable(id: string): Promise<FunctionConfiguration>;
  /** Resolves when it has ended. @throws Failure … and how the run failed */
  trigger(id: string, useAll: boolean): Promise<FunctionConfiguration>;
  /** The text of a DryRun. */
  dryRun(id: string, request: DryRunRequest): Promise<AsyncGenerator<string>>;
  /** Dry run of a package that is not installed. */
  tryPackage(path: string): Promise<DryRun>;
  runs(id: string, page: { skip: number; take: number }): FunctionRunPage;
  run(id: string, runId: string): Promise<FunctionRunDetail>;
  /** Takes away what a run stored. @throws Failure wrong_state */
  undo(id: string, runId: string): Promise<FunctionRun>;
  /** Called when a deletion was undone. If it was the undo of a run, the run counts again and can be undone again. */
  handleRestored(tx: Transaction, deletionId: string): void;
  install(path: string): Promise<OwnerFunction>;
  /** The same of a zip on its way. */
  upload(content: Readable): Promise<OwnerFunction>;
  remove(id: string): Promise<void>;
  /** What the bundles of those read that read all, for the indexes that it takes. */
  bundles(): NamedBundle[];
};

export type FunctionParts = {
  store: FunctionStore;
  registry: Registry;
  engine: () => Engine;
  subjects: Subjects;
  packages: Packages;
  events: EventService;
  endpoints: Endpoints;
  records: RecordReader;
  writer: Writer;
  clock: Clock;
  log: Log;
  /** Deletes records so that it can be undone. Returns the id of the deletion. */
  deleteRecords: (ids: readonly string[]) => Promise<string>;
  settleIndexes: () => void;
  /** What is to be done once a package is here. */
  afterInstall: (id: string) => Promise<void>;
};

/** Records of a run that are named when it is looked at, and that are looked through at once. */
const MAX_NAMED = 100;
const HEADS_AT_ONCE = 2000;

const unknown = (id: string): Failure => new Failure('not_found', `Function ${id} not found`);

/** What is known of those that are enabled, without asking the database each time. */
type Active = Map<string, { reads: ReadonlySet<string>; writes: string }>;

export const createFunctionService = (parts: FunctionParts) => {
  const { store, registry, subjects, events, endpoints, records, writer, clock } = parts;
  const { subjectOf, strangerOf } = subjects;
  let active: Active | undefined;
  /** Runs that are being undone: a second undo would find nothing, and forget what the first one deleted. */
  const undoing = new Set<string>();

  const activeNow = (): Active => {
    active ??= new Map(
      store.list().flatMap((row) => {
        const approved = row.enabled === 1 ? approvedOf(row) : undefined;
        if (approved === undefined) return [];
        return [[row.id, { reads: endpointsOf(approved.dataBundle.bundle), writes: row.endpoint }]];
      }),
    );
    return active;
  };

  /** Something about functions is another from this commit on. */
  const changed = (tx: Transaction, id: string): void => {
    tx.afterCommit(() => {
      active = undefined;
      parts.engine().reconsider(id);
    });
    events.notify(tx, 'functions');
  };

  const rowOf = (id: string): FunctionRow => {
    const row = store.find(id);
    if (row === undefined) throw unknown(id);
    return row;
  };

  const chainOf = (origin: number): Chain => {
    const { kind, name, reference } = endpoints.originOf(origin);
    if (kind !== 'function') return [];
    const run = store.findRun(reference);
    return run === undefined ? [name] : (JSON.parse(run.chain) as string[]);
  };

  const shownRun = (run: RunRow): FunctionRun => toRun(run, clock.now());

  const ownerView = (row: FunctionRow): OwnerFunction =>
    toOwner(store, row, registry.find(row.id), parts.engine().prospectOf(row.id), shownRun);

  const shown = (row: FunctionRow): FunctionConfiguration => {
    const configuration = configurationOf(store, row, registry.find(row.id));
    if (configuration === undefined) throw unknown(row.id);
    return configuration;
  };

  const available = (id: string): { row: FunctionRow; registered: Registered } => {
    const row = rowOf(id);
    const registered = registry.find(id);
    if (registered === undefined || !isAvailable(row, registered))
      throw new Failure(
        'function_not_available',
        `Function ${id} not available for execution${registered?.problem === undefined ? '' : `: ${registered.problem}`}`,
      );
    return { row, registered };
  };

  const runOf = (id: string, runId: string): RunRow => {
    const run = store.findRun(runId);
    if (run === undefined || run.function !== id) throw new Failure('not_found', 'There is no such run.');
    return run;
  };

  /** Records of a run that are here, by place. */
  const recordsOf = async (run: RunRow, most: number): Promise<{ endpoint: string; recordId: string }[]> => {
    const found: { endpoint: string; recordId: string }[] = [];
    const endpoint = endpoints.find(run.endpoint);
    const origin = endpoints.findOrigin({ kind: 'function', name: run.function, reference: run.id });
    if (endpoint === undefined || origin === undefined || run.first_seq === null || run.last_seq === null) return found;
    for (let after = run.first_seq - 1; found.length < most;) {
      const heads = records.headsIn(endpoint, after, run.last_seq, HEADS_AT_ONCE);
      for (const { seq, origin: from } of heads) {
        const id = from === origin ? records.head(seq)?.id : undefined;
        if (id !== undefined && found.length < most) found.push({ endpoint: run.endpoint, recordId: id });
      }
      const last = heads.at(-1);
      if (last === undefined || heads.length < HEADS_AT_ONCE) break;
      after = last.seq;
      await new Promise(setImmediate);
    }
    return found;
  };

  const installed = async (id: string): Promise<OwnerFunction> => {
    await parts.afterInstall(id);
    parts.settleIndexes();
    return ownerView(rowOf(id));
  };

  const service: FunctionService = {
    list: () => store.list().flatMap((row) => configurationOf(store, row, registry.find(row.id)) ?? []),
    find: (id) => shown(rowOf(id)),
    ownerList: () => store.list().map(ownerView),
    ownerFind: (id) => ownerView(rowOf(id)),
    isElsewhere: (id) => (registry.find(id)?.place ?? ownerView(rowOf(id)).place).kind === 'elsewhere',

    async enable(id, seen) {
      const { row, registered } = available(id);
      const published = publishedOf(row);
      if (published === undefined) throw unknown(id);
      const dataBundle = named(id, published.dataBundle);
      const differs =
        seen !== undefined &&
        (seen.version !== registered.version ||
          (seen.writes !== undefined && seen.writes !== registered.endpoint) ||
          (seen.trigger !== undefined && JSON.stringify(seen.trigger) !== JSON.stringify(published.trigger)) ||
          (seen.dataBundle !== undefined && JSON.stringify(seen.dataBundle) !== JSON.stringify(dataBundle)));
      if (differs) throw new Failure('wrong_state', 'It has published something else since you looked at it.');
      const { version, location, endpoint: writes } = registered;
      const trigger = published.trigger.triggerType;
      await writer.write((tx) => {
        store.enable(tx, {
          id,
          approved: JSON.stringify({ version, location, writes, trigger, dataBundle } satisfies Approved),
          approved_at: clock.now(),
          cursor: JSON.stringify({ kind: 'first', events: events.newest() }),
        });
        changed(tx, id);
      });
      parts.settleIndexes();
      return shown(rowOf(id));
    },

    async disable(id) {
      shown(rowOf(id));
      await writer.write((tx) => {
        store.disable(tx, id);
        changed(tx, id);
      });
      parts.engine().stop(id, 'It was disabled while it ran.');
      parts.settleIndexes();
      return shown(rowOf(id));
    },

    async trigger(id, useAll) {
      const { row, registered } = available(id);
      if (row.enabled !== 1) throw new Failure('function_not_enabled', `Function ${id} not enabled`);
      if (asksForMore(row, registered))
        throw new Failure('function_not_enabled', `Function ${id} asks for more than you agreed to. Enable it again.`);
      await parts.engine().trigger(id, useAll);
      return shown(rowOf(id));
    },

    async dryRun(id, { useAll, send }) {
      const { row, registered } = available(id);
      // Of one that asks for more, what it would get if that were agreed to: it does not run before that.
      const asked = asksForMore(row, registered) ? { ...row, enabled: 0 } : row;
      const subject = await subjectOf(asked, registered);
      if (subject === undefined) throw unknown(id);
      const how = { useAll, send: send ?? registered.place.kind === 'here' };
      return dryRunText(registered.endpoint, await parts.engine().dryRun(id, subject, how));
    },

    async tryPackage(path) {
      const { packages } = parts;
      return packages.borrow(path, async (found) =>
        toDryRun(
          found.registered.endpoint,
          await parts.engine().dryRun(found.registered.id, await strangerOf(found), { useAll: false, send: true }),
        ),
      );
    },

    runs(id, { skip, take }) {
      rowOf(id);
      return { total: store.countRuns(id), runs: store.runs(id, skip, take).map(shownRun) };
    },

    async run(id, runId) {
      const run = runOf(id, runId);
      return {
        ...shownRun(run),
        log: JSON.parse(store.logOf(runId)) as string[],
        records: await recordsOf(run, MAX_NAMED),
      };
    },

    async undo(id, runId) {
      const run = runOf(id, runId);
      if (run.finished === null) throw new Failure('wrong_state', 'It is running. Wait until it has ended.');
      if (run.undone !== null) throw new Failure('wrong_state', 'This run was undone already.');
      if (run.records_out === 0) throw new Failure('wrong_state', 'This run stored nothing.');
      if (undoing.has(runId)) throw new Failure('wrong_state', 'This run is being undone.');
      undoing.add(runId);
      try {
        const ids = (await recordsOf(run, Number.POSITIVE_INFINITY)).map(({ recordId }) => recordId);
        const deletion = ids.length === 0 ? null : await parts.deleteRecords(ids);
        await writer.write((tx) => {
          store.setUndone(tx, runId, clock.now(), deletion);
          events.notify(tx, 'functions');
        });
      } finally {
        undoing.delete(runId);
      }
      return shownRun(runOf(id, runId));
    },

    handleRestored(tx, deletionId) {
      if (store.clearUndone(tx, deletionId)) events.notify(tx, 'functions');
    },

    async install(path) {
      return installed(await parts.packages.install(path, changed));
    },
    async upload(content) {
      return installed(await parts.packages.receive(content, changed));
    },
    async remove(id) {
      rowOf(id);
      const registered = registry.find(id);
      if (registered?.package === undefined)
        throw new Failure('wrong_state', 'It is not an installed package. Take it out of config.json.');
      // Even if config.json lists the same id: after a reinstallation it is a new function without an approval.
      const others = registry.list().filter((one) => one.package?.id === registered.package?.id);
      for (const other of others) parts.engine().stop(other.id, 'It was removed while it ran.');
      await parts.packages.remove(registered.package, (tx, removed) => {
        for (const other of others) store.disable(tx, other.id);
        for (const changedId of new Set([removed, ...others.map((other) => other.id)])) changed(tx, changedId);
      });
    },

    bundles: () =>
      store.list().flatMap((row) => {
        const approved = row.enabled === 1 ? approvedOf(row) : undefined;
        return approved === undefined || registry.find(row.id)?.reads !== 'all' ? [] : [approved.dataBundle];
      }),
  };

  return {
    service,
    chainOf,
    changed,
    /** What the engine asks. */
    forEngine: {
      enabled: () => [...activeNow().keys()],
      readsOf: (id: string): ReadonlySet<string> => activeNow().get(id)?.reads ?? new Set(),
      isOnCycle: (id: string) => isOnCycle(id, activeNow()),
      async runnable(id: string): Promise<Runnable | undefined> {
        const row = store.find(id);
        const registered = registry.find(id);
        if (row === undefined || registered === undefined || row.enabled !== 1) return undefined;
        if (!isAvailable(row, registered) || asksForMore(row, registered)) return undefined;
        return subjectOf(row, registered);
      },
    },
  };
};
