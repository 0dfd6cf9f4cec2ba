import { isoTime, isoTimeOrNull } from '../../../platform/clock.ts';
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
import type { RegisteredFunction } from './registry.ts';
import { findUnapprovedRead, executionPlaceOf, type Cursor } from '../rules.ts';
import type { FunctionRow, FunctionStore, RunRow } from '../store.ts';

/** Approval by the owner, as stored in a row. JSON in a row was validated before it was stored. */
export type StoredApproval = {
  version: string;
  location: string;
  writes: string;
  trigger: FunctionTrigger['triggerType'];
  dataBundle: NamedBundle;
};

export const withBundleName = (id: string, bundle: PublishedFunction['dataBundle']): NamedBundle =>
  isNamed(bundle) ? bundle : { name: id, bundle };

/** Distinguishes a named bundle from a bundle with a property called `name`, whose value is an object. */
const isNamed = (bundle: NamedBundle | Bundle): bundle is NamedBundle => typeof bundle['name'] === 'string';

export const publishedOf = (row: FunctionRow | undefined): PublishedFunction | undefined =>
  row?.configuration === null || row === undefined ? undefined : (JSON.parse(row.configuration) as PublishedFunction);

export const approvalOf = (row: FunctionRow): StoredApproval | undefined =>
  row.approved === null ? undefined : (JSON.parse(row.approved) as StoredApproval);

export const cursorOf = (row: FunctionRow): Cursor =>
  row.cursor === null ? { kind: 'first', events: 0 } : (JSON.parse(row.cursor) as Cursor);

const cycleOf = (row: FunctionRow): OwnerFunction['cycle'] => {
  if (row.cycle === null) return null;
  const { time, chain } = JSON.parse(row.cycle) as { time: number; chain: string[] };
  return { time: isoTime(time), chain };
};

export const isAvailable = (row: FunctionRow | undefined, registered: RegisteredFunction | undefined): boolean =>
  row !== undefined &&
  registered !== undefined &&
  registered.problem === undefined &&
  row.configuration !== null &&
  row.edition === registered.edition;

/** Returns true if the reads, host, output endpoint or trigger of a function exceed the owner's approval. */
export const asksForMore = (row: FunctionRow, registered: RegisteredFunction | undefined): boolean => {
  const approval = approvalOf(row);
  const published = publishedOf(row);
  if (approval === undefined || published === undefined || registered === undefined) return false;
  const place = executionPlaceOf(approval.location);
  const isSameHost =
    place.kind === 'elsewhere'
      ? registered.place.kind === 'elsewhere' && registered.place.host === place.host
      : registered.place.kind === 'here';
  return (
    !isSameHost ||
    approval.writes !== registered.endpoint ||
    (approval.trigger === 'manual' && published.trigger.triggerType !== 'manual') ||
    findUnapprovedRead(withBundleName(row.id, published.dataBundle).bundle, approval.dataBundle.bundle) !== undefined
  );
};

const statusOf = (row: FunctionRow, available: boolean, currentRun: RunRow | undefined): FunctionStatus => ({
  available,
  enabled: row.enabled === 1,
  ...(row.last_execution === null ? {} : { lastExecution: isoTime(row.last_execution) }),
  ...(currentRun === undefined ? {} : { executionStarted: isoTime(currentRun.started) }),
});

export const configurationOf = (
  store: FunctionStore,
  row: FunctionRow,
  registered: RegisteredFunction | undefined,
): FunctionConfiguration | undefined => {
  const published = publishedOf(row);
  if (published === undefined) return undefined;
  return {
    ...published,
    dataBundle: withBundleName(row.id, published.dataBundle),
    status: statusOf(row, isAvailable(row, registered), store.runInProgressOf(row.id)),
  };
};

export const toRun = (row: RunRow, now: number): FunctionRun => ({
  runId: row.id,
  functionId: row.function,
  version: row.version,
  reason: row.reason,
  started: isoTime(row.started),
  finished: isoTimeOrNull(row.finished),
  outcome: row.outcome,
  message: row.message,
  chain: JSON.parse(row.chain) as string[],
  window: { fromDate: isoTimeOrNull(row.from_date), untilDate: isoTime(row.until_date) },
  recordsIn: row.records_in,
  bytesIn: row.bytes_in,
  recordsOut: row.records_out,
  endpoint: row.endpoint,
  durationMs: row.duration,
  peakMemoryBytes: row.peak_memory,
  undone: isoTimeOrNull(row.undone),
  undo:
    row.deletion === null || row.undone === null || row.undone + DELETED_RECORDS_KEPT_MS <= now
      ? null
      : { deletionId: row.deletion, until: isoTime(row.undone + DELETED_RECORDS_KEPT_MS) },
});

export type ScheduleStatus = Pick<OwnerFunction, 'waiting' | 'queued' | 'nextRun'>;

export const toOwnerFunction = (
  store: FunctionStore,
  row: FunctionRow,
  registered: RegisteredFunction | undefined,
  scheduleStatus: ScheduleStatus,
  toApiRun: (row: RunRow) => FunctionRun,
): OwnerFunction => {
  const approval = approvalOf(row);
  const [lastRun] = store.runs(row.id, 0, 1);
  const packageRow = registered?.package;
  return {
    id: row.id,
    configuration: configurationOf(store, row, registered) ?? null,
    version: row.version,
    registered: registered !== undefined,
    place: registered?.place ?? executionPlaceOf(row.location),
    package:
      packageRow === undefined
        ? null
        : { bytes: packageRow.bytes, sha256: packageRow.sha256, installed: isoTime(packageRow.installed) },
    limits: { memoryMb: registered?.memoryMb ?? null, timeoutMs: registered?.timeoutMs ?? MAX_FUNCTION_RUN_MS },
    reads: registered?.reads ?? 'new',
    writes: row.endpoint,
    approved:
      approval === undefined || row.approved_at === null
        ? null
        : {
            version: approval.version,
            time: isoTime(row.approved_at),
            place: executionPlaceOf(approval.location),
            dataBundle: approval.dataBundle,
            writes: approval.writes,
            trigger: approval.trigger,
          },
    asksForMore: asksForMore(row, registered),
    problem: registered?.problem ?? row.problem,
    ...scheduleStatus,
    failures: row.failures,
    lastRun: lastRun === undefined ? null : toApiRun(lastRun),
    cycle: cycleOf(row),
  };
};
