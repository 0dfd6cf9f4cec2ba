import { isoTime } from '../../../platform/clock.ts';
import type {
  FunctionConfiguration,
  FunctionRun,
  FunctionStatus,
  FunctionTrigger,
  OwnerFunction,
  PublishedFunction,
} from '../../../wire/functions.ts';
import { MAX_FUNCTION_RUN_MS, DELETED_RECORDS_KEPT_MS } from '../../../wire/limits.ts';
import type { Bundle, NamedBundle } from '../../../wire/query.ts';
import type { Registered } from './registry.ts';
import { beyondApproval, placeOfLocation, type Cursor } from '../rules.ts';
import type { FunctionRow, FunctionStore, RunRow } from '../store.ts';

/** Rows as others see them. The JSON in a row is what the room wrote there itself, checked. */

/** What the owner agreed to: what it reads, where, where it stores, and whether it runs by itself. */
export type Approved = {
  version: string;
  location: string;
  writes: string;
  trigger: FunctionTrigger['triggerType'];
  dataBundle: NamedBundle;
};

/** A bundle without a name goes by that of its function. */
export const named = (id: string, bundle: PublishedFunction['dataBundle']): NamedBundle =>
  isNamed(bundle) ? bundle : { name: id, bundle };

/** A property called `name` is an object. */
const isNamed = (bundle: NamedBundle | Bundle): bundle is NamedBundle => typeof bundle['name'] === 'string';

export const publishedOf = (row: FunctionRow | undefined): PublishedFunction | undefined =>
  row?.configuration === null || row === undefined ? undefined : (JSON.parse(row.configuration) as PublishedFunction);

export const approvedOf = (row: FunctionRow): Approved | undefined =>
  row.approved === null ? undefined : (JSON.parse(row.approved) as Approved);

export const cursorOf = (row: FunctionRow): Cursor =>
  row.cursor === null ? { kind: 'first', events: 0 } : (JSON.parse(row.cursor) as Cursor);

export const cycleOf = (row: FunctionRow): OwnerFunction['cycle'] => {
  if (row.cycle === null) return null;
  const { time, chain } = JSON.parse(row.cycle) as { time: number; chain: string[] };
  return { time: isoTime(time), chain };
};

/** What it publishes by now belongs to what is registered. */
export const isAvailable = (row: FunctionRow | undefined, registered: Registered | undefined): boolean =>
  row !== undefined &&
  registered !== undefined &&
  registered.problem === undefined &&
  row.configuration !== null &&
  row.edition === registered.edition;

/** Whether it wants more than the owner has agreed to: other data, to have it elsewhere, to store elsewhere, or to run by itself. */
export const asksForMore = (row: FunctionRow, registered: Registered | undefined): boolean => {
  const approved = approvedOf(row);
  const published = publishedOf(row);
  if (approved === undefined || published === undefined || registered === undefined) return false;
  const place = placeOfLocation(approved.location);
  const sameHost =
    place.kind === 'elsewhere'
      ? registered.place.kind === 'elsewhere' && registered.place.host === place.host
      : registered.place.kind === 'here';
  return (
    !sameHost ||
    approved.writes !== registered.endpoint ||
    (approved.trigger === 'manual' && published.trigger.triggerType !== 'manual') ||
    beyondApproval(named(row.id, published.dataBundle).bundle, approved.dataBundle.bundle) !== undefined
  );
};

const statusOf = (row: FunctionRow, available: boolean, running: RunRow | undefined): FunctionStatus => ({
  available,
  enabled: row.enabled === 1,
  ...(row.last_execution === null ? {} : { lastExecution: isoTime(row.last_execution) }),
  ...(running === undefined ? {} : { executionStarted: isoTime(running.started) }),
});

/** undefined: it has not published itself yet. */
export const configurationOf = (
  store: FunctionStore,
  row: FunctionRow,
  registered: Registered | undefined,
): FunctionConfiguration | undefined => {
  const published = publishedOf(row);
  if (published === undefined) return undefined;
  return {
    ...published,
    dataBundle: named(row.id, published.dataBundle),
    status: statusOf(row, isAvailable(row, registered), store.runningOf(row.id)),
  };
};

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

export const toRun = (row: RunRow, now: number): FunctionRun => ({
  runId: row.id,
  functionId: row.function,
  version: row.version,
  reason: row.reason,
  started: isoTime(row.started),
  finished: isoOrNull(row.finished),
  outcome: row.outcome,
  message: row.message,
  chain: JSON.parse(row.chain) as string[],
  window: { fromDate: isoOrNull(row.from_date), untilDate: isoTime(row.until_date) },
  recordsIn: row.records_in,
  bytesIn: row.bytes_in,
  recordsOut: row.records_out,
  endpoint: row.endpoint,
  durationMs: row.duration,
  peakMemoryBytes: row.peak_memory,
  undone: isoOrNull(row.undone),
  undo:
    row.deletion === null || row.undone === null || row.undone + DELETED_RECORDS_KEPT_MS <= now
      ? null
      : { deletionId: row.deletion, until: isoTime(row.undone + DELETED_RECORDS_KEPT_MS) },
});

/** What only the engine knows. */
export type Prospect = Pick<OwnerFunction, 'waiting' | 'queued' | 'nextRun'>;

export const toOwner = (
  store: FunctionStore,
  row: FunctionRow,
  registered: Registered | undefined,
  prospect: Prospect,
  run: (row: RunRow) => FunctionRun,
): OwnerFunction => {
  const approved = approvedOf(row);
  const [lastRun] = store.runs(row.id, 0, 1);
  const installed = registered?.package;
  return {
    id: row.id,
    configuration: configurationOf(store, row, registered) ?? null,
    version: row.version,
    registered: registered !== undefined,
    place: registered?.place ?? placeOfLocation(row.location),
    package:
      installed === undefined
        ? null
        : { bytes: installed.bytes, sha256: installed.sha256, installed: isoTime(installed.installed) },
    limits: { memoryMb: registered?.memoryMb ?? null, timeoutMs: registered?.timeoutMs ?? MAX_FUNCTION_RUN_MS },
    reads: registered?.reads ?? 'new',
    writes: row.endpoint,
    approved:
      approved === undefined || row.approved_at === null
        ? null
        : {
            version: approved.version,
            time: isoTime(row.approved_at),
            dataBundle: approved.dataBundle,
            writes: approved.writes,
            trigger: approved.trigger,
          },
    asksForMore: asksForMore(row, registered),
    problem: registered?.problem ?? row.problem,
    ...prospect,
    failures: row.failures,
    lastRun: lastRun === undefined ? null : run(lastRun),
    cycle: cycleOf(row),
  };
};
