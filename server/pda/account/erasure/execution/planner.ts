import { isoTime } from '../../../../platform/clock.ts';
import { Failure } from '../../../../platform/failure.ts';
import { endpointSchema } from '../../../../wire/common.ts';
import type { BackupEntry, ErasureKind, ErasurePreview, ErasureReceiver } from '../../../../wire/erasure.ts';
import type { AccessLogService } from '../../../sharing/access-log/service.ts';
import type { OwnerService } from '../../../identity/owner/service.ts';
import { listLocalCopies } from '../home/local-copies.ts';
import { findDerivedFunctions, NO_COUNTS, pathRangeOf, remaindersOf, estimateWriteStopSeconds } from '../rules.ts';
import type { ErasureSearchStore, RecordScope } from './search-store.ts';

/**
 * Targets of an erasure. The plan is stored before the first step, because the functions whose output derives from the
 * data cannot be found once the data has been removed.
 */
export type ErasurePlan = (
  | { kind: 'application'; application: string }
  | { kind: 'namespace'; namespace: string }
  | { kind: 'file'; fileId: string }
) & {
  /** Ids of the functions whose output is erased, too. */
  functions: string[];
  /** True if local copies of the database are deleted, too. */
  copies: boolean;
};

type ErasureFindings = {
  preview: ErasurePreview;
  /** Subject in the report. For a file it is the record id, because the file name may reveal the content. */
  subject: string;
  functions: string[];
};

export type PlannerParts = {
  search: ErasureSearchStore;
  ledger: Pick<AccessLogService, 'list'>;
  /** Returns the time of the access log row with an id, in Unix milliseconds. */
  timeOfRow: (row: number) => number;
  owner: Pick<OwnerService, 'profile'>;
  home: { path: string; backups: string };
  /** Returns the backups that may contain erased data; null if unknown. */
  listBackups: () => BackupEntry[] | null;
  /** Returns the folders in which this PDA has stored backups. */
  listBackupFolders: () => string[];
};

const PREVIEW_MAX_ENDPOINTS = 100;
/** Maximum number of access log rows that are read for one file. */
const LOG_MAX_ROWS = 500;
const LOG_PAGE_ROWS = 100;

/** Finds the data to erase without changing anything. */
export const createPlanner = (parts: PlannerParts) => {
  const { search, ledger, timeOfRow } = parts;

  const scopeOf = (kind: 'application' | 'namespace', target: string): RecordScope => {
    if (kind === 'application') {
      if (target.trim() === '') throw new Failure('invalid_input', 'The id of the application is missing.');
      return { application: target };
    }
    if (!endpointSchema.safeParse(`${target}/x`).success || target.includes('/'))
      throw new Failure('invalid_input', 'This is not a valid namespace.');
    return pathRangeOf(target);
  };

  const earliestOf = (...times: (number | null)[]): string | null => {
    const knownTimes = times.filter((time) => time !== null);
    return knownTimes.length === 0 ? null : isoTime(Math.min(...knownTimes));
  };

  const findReceiversOfEndpoints = async (endpoints: readonly string[] | null): Promise<ErasureReceiver[]> =>
    (await search.listReceivers(endpoints)).map((row) => ({ ...row, last: isoTime(timeOfRow(row.last)) }));

  /** @param record record id of the file */
  const findReceiversOfFile = async (record: string): Promise<ErasureReceiver[]> => {
    const receivers = new Map<string, ErasureReceiver>();
    let cursor: number | undefined;
    for (let rowsRead = 0; rowsRead < LOG_MAX_ROWS; rowsRead += LOG_PAGE_ROWS) {
      const page = await ledger.list({
        record,
        outcome: 'allowed',
        take: LOG_PAGE_ROWS,
        ...(cursor === undefined ? {} : { before: cursor }),
      });
      for (const { who, time, count, action } of page.rows) {
        if (who.kind === 'owner' || !action.startsWith('GET ')) continue;
        const key = `${who.kind}\n${who.name}`;
        const existing = receivers.get(key);
        const person = who.person ?? null;
        if (existing === undefined)
          receivers.set(key, { kind: who.kind, name: who.name, person, reads: count, records: 1, last: time });
        else existing.reads += count;
      }
      if (page.next === null) break;
      cursor = page.next;
    }
    return [...receivers.values()];
  };

  const commonFields = () => ({
    copies: listLocalCopies(parts.home.backups),
    backups: parts.listBackups(),
    backupFolders: parts.listBackupFolders(),
    waitSeconds: estimateWriteStopSeconds(search.measureDatabaseBytes()),
  });

  const previewFile = async (fileId: string): Promise<ErasureFindings> => {
    const file = search.findFile(fileId);
    if (file === undefined) throw new Failure('not_found', 'This file does not exist.');
    const sameContent = await search.hasDuplicate(file);
    const preview: ErasurePreview = {
      kind: 'file',
      target: fileId,
      typed: file.name,
      what: { ...NO_COUNTS, files: 1, bytes: file.size ?? 0 },
      endpoints: [],
      moreEndpoints: 0,
      since: isoTime(file.added),
      derived: [],
      receivers: await findReceiversOfFile(file.id),
      remaining: remaindersOf('file', { sameContent, unassigned: false }),
      ...commonFields(),
    };
    return { preview, subject: file.id, functions: [] };
  };

  const previewRecords = async (kind: 'application' | 'namespace', target: string): Promise<ErasureFindings> => {
    const scope = scopeOf(kind, target);
    const [records, deleted, endpoints] = await Promise.all([
      search.measureRecords(scope),
      search.measureDeletedRecords(scope),
      search.listEndpoints(scope),
    ]);
    const functions = findDerivedFunctions(endpoints, search.listFunctions());
    const derived = await search.countDerived(functions);
    const imports = kind === 'namespace' ? await search.listImports(pathRangeOf(target)) : [];
    const files = kind === 'application' ? await search.listFilesOf(target) : [];
    const preview: ErasurePreview = {
      kind,
      target,
      typed: target,
      what: {
        records: records.count,
        deletedRecords: deleted.count,
        derivedRecords: derived.reduce((sum, { records: count }) => sum + count, 0),
        imports: imports.length,
        files: files.length,
        bytes: files.reduce((sum, { size }) => sum + (size ?? 0), records.bytes + deleted.bytes),
        sessions: kind === 'application' ? await search.countSessions(target) : 0,
        consents: kind === 'application' ? await search.countConsents(target) : 0,
      },
      endpoints: endpoints.slice(0, PREVIEW_MAX_ENDPOINTS),
      moreEndpoints: Math.max(0, endpoints.length - PREVIEW_MAX_ENDPOINTS),
      since: earliestOf(records.since, ...files.map(({ added }) => added)),
      derived,
      receivers: endpoints.length === 0 ? [] : await findReceiversOfEndpoints(endpoints),
      remaining: remaindersOf(kind, { sameContent: false, unassigned: (await search.countUnassignedImports()) > 0 }),
      ...commonFields(),
    };
    return { preview, subject: target, functions };
  };

  const previewEverything = async (): Promise<ErasureFindings> => {
    const totals = await search.readTotals();
    const preview: ErasurePreview = {
      kind: 'everything',
      target: '',
      typed: parts.owner.profile()?.name ?? '',
      what: {
        ...NO_COUNTS,
        records: totals.records.count,
        deletedRecords: totals.deleted,
        imports: totals.imports,
        files: totals.files.count,
        bytes: totals.records.bytes + totals.files.bytes,
        sessions: totals.sessions,
        consents: totals.consents,
      },
      endpoints: [],
      moreEndpoints: 0,
      since: earliestOf(totals.records.since, totals.files.since),
      derived: [],
      receivers: await findReceiversOfEndpoints(null),
      remaining: remaindersOf('everything', { sameContent: false, unassigned: false }),
      ...commonFields(),
      waitSeconds: 0,
    };
    return { preview, subject: '', functions: [] };
  };

  return {
    /** @throws Failure not_found | invalid_input */
    preview(kind: ErasureKind, target: string): Promise<ErasureFindings> {
      if (kind === 'everything') return previewEverything();
      return kind === 'file' ? previewFile(target) : previewRecords(kind, target);
    },
  };
};

export type Planner = ReturnType<typeof createPlanner>;
