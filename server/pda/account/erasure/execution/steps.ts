import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, ignoreFailures } from '../../../../platform/failure.ts';
import type { ErasureStep } from '../../../../wire/erasure-steps.ts';
import type { ApplicationService } from '../../../sharing/applications/service.ts';
import type { FileService } from '../../../files/service.ts';
import type { ImportService } from '../../../data/imports/service.ts';
import type { OwnerService } from '../../../identity/owner/service.ts';
import type { Origin, RecordService } from '../../../data/records/service.ts';
import type { Transaction, Writer } from '../../../storage/index.ts';
import type { ErasurePlan } from './planner.ts';
import { isLocalCopyOrSidecar, isBackupLeftover, isDatabaseLeftover } from '../home/local-copies.ts';
import { pathRangeOf } from '../rules.ts';
import type { ErasureSearchStore, RecordOrigin } from './search-store.ts';
import type { SweepStore } from './sweep-store.ts';

/**
 * Steps of an erasure. Each step is idempotent, because it is repeated after a failure or if the server stops. No step
 * blocks the event loop for long: records are deleted in batches, and long queries run in a thread.
 */
export type Steps = Record<Exclude<ErasureStep, 'scrub'>, (plan: ErasurePlan) => Promise<void>> & {
  /** Rewrites the database without the deleted content. Needs no plan. */
  scrub(): Promise<void>;
};

export type StepParts = {
  search: ErasureSearchStore;
  sweep: SweepStore;
  writer: Writer;
  records: Pick<RecordService, 'remove'>;
  deletions: {
    clearEndpoint(path: string, origin: Origin): Promise<void>;
    sweep(): Promise<void>;
    /** Runs work while deletions and restorations of records wait. */
    runExclusively<R>(work: () => Promise<R>): Promise<R>;
  };
  imports: Pick<ImportService, 'cancel' | 'remove'>;
  files: Pick<FileService, 'erase'>;
  applications: Pick<ApplicationService, 'disable'>;
  owner: Pick<OwnerService, 'endApplicationSessions'>;
  indexes: { reconcile(): void; waitUntilIdle(): Promise<void> };
  home: { path: string; backups: string };
  /** Resolves when no backup or restore drill is running. Both have temporary copies in the home. */
  waitUntilBackupsIdle: () => Promise<void>;
  /** Throws while the server is stopping, so that the step ends. The next start resumes the erasure. */
  throwIfStopped: () => void;
};

const OWNER_ORIGIN: Origin = { kind: 'owner', name: 'owner' };
/** Deleting this many records takes a few milliseconds. */
const DELETE_BATCH_ROWS = 100;
const SEARCH_BATCH_ROWS = 5000;
const POLL_INTERVAL_MS = 100;
/** Maximum wait for running functions. Longer than the time limit of any function. */
const MAX_FUNCTION_WAIT_MS = 20 * 60_000;
/** After this many rounds, the step fails as soon as a round makes no progress. */
const MAX_SWEEP_ROUNDS = 50;

export const createSteps = (parts: StepParts): Steps => {
  const { search, sweep, writer, records, deletions, imports, files, throwIfStopped } = parts;

  const dropRecords = async (origin: RecordOrigin): Promise<void> => {
    for (let after = -1; ;) {
      const refs = await search.listRecordRefs(origin, after, SEARCH_BATCH_ROWS);
      const lastRef = refs.at(-1);
      if (lastRef === undefined) break;
      for (let start = 0; start < refs.length; start += DELETE_BATCH_ROWS) {
        throwIfStopped();
        await dropBatch(refs.slice(start, start + DELETE_BATCH_ROWS).map(({ id }) => id));
      }
      after = lastRef.seq;
    }
    await dropAll(() => search.listHiddenRecordRefs(origin, SEARCH_BATCH_ROWS), sweep.dropHiddenRecords);
    do throwIfStopped();
    while (await writer.write((tx) => sweep.dropDeletedByOrigin(tx, origin, DELETE_BATCH_ROWS)));
    await dropAll(() => search.listVersionsBy(origin, SEARCH_BATCH_ROWS), sweep.dropVersions);
    await dropAll(() => search.listOriginalsBy(origin, SEARCH_BATCH_ROWS), sweep.dropOriginals);
    await sweepDeleted();
  };

  /** Deletes rows in small transactions until none are found. */
  const dropAll = async <Row>(
    find: () => Promise<Row[]>,
    drop: (tx: Transaction, rows: readonly Row[]) => void,
  ): Promise<void> => {
    for (;;) {
      throwIfStopped();
      const rows = await find();
      if (rows.length === 0) return;
      for (let start = 0; start < rows.length; start += DELETE_BATCH_ROWS)
        await writer.write((tx) => drop(tx, rows.slice(start, start + DELETE_BATCH_ROWS)));
    }
  };

  const sweepDeleted = async (): Promise<void> => {
    let previousPending = Number.POSITIVE_INFINITY;
    for (let round = 0, pending = sweep.countPending(); pending > 0; round += 1, pending = sweep.countPending()) {
      throwIfStopped();
      // No progress, for example on a full disk. A failed step is shown to the owner and retried later.
      if (round > MAX_SWEEP_ROUNDS && pending >= previousPending)
        throw new Failure('internal_error', 'Some records could not be erased. The erasure is retried automatically.');
      previousPending = pending;
      await deletions.sweep();
    }
  };

  /** Deletes records together, or one by one if they are together too large or one was deleted in the meantime. */
  const dropBatch = async (ids: readonly string[]): Promise<void> => {
    try {
      await records.remove(ids, () => true, OWNER_ORIGIN);
    } catch (error) {
      if (!(error instanceof Failure) || !['data_missing', 'too_large'].includes(error.code)) throw error;
      for (const id of ids) await records.remove([id], () => true, OWNER_ORIGIN).catch(ignoreFailures('data_missing'));
    }
  };

  const dropNamespace = async (namespace: string): Promise<void> => {
    const range = pathRangeOf(namespace);
    for (const path of await search.listEndpoints(range)) {
      throwIfStopped();
      await deletions.clearEndpoint(path, OWNER_ORIGIN);
    }
    await writer.write((tx) => sweep.abandonEndpoints(tx, range));
    do throwIfStopped();
    while (await writer.write((tx) => sweep.dropDeletedInRange(tx, range, DELETE_BATCH_ROWS)));
    await sweepDeleted();
  };

  return {
    /**
     * Disables the application and ends its sessions, or cancels and removes the imports into the namespace, so that
     * they store no new data.
     */
    async hold(plan) {
      if (plan.kind === 'application') {
        // An unknown application has no settings and no rights.
        await parts.applications.disable(plan.application).catch(ignoreFailures('not_found'));
        await writer.write((tx) => parts.owner.endApplicationSessions(tx, plan.application));
      }
      if (plan.kind !== 'namespace') return;
      for (const { id } of await search.listImports(pathRangeOf(plan.namespace))) {
        await imports.cancel(id).catch(ignoreFailures('wrong_state', 'not_found'));
        await imports.remove(id).catch(ignoreFailures('not_found'));
      }
    },
    async records(plan) {
      const { runExclusively } = deletions;
      if (plan.kind === 'namespace') await runExclusively(() => dropNamespace(plan.namespace));
      if (plan.kind === 'application') await runExclusively(() => dropRecords({ application: plan.application }));
    },
    async derived({ functions }) {
      if (functions.length === 0) return;
      // Running functions may still store output that derives from the erased data.
      for (let waitMs = 0; sweep.isRunning(functions) && waitMs < MAX_FUNCTION_WAIT_MS; waitMs += POLL_INTERVAL_MS) {
        await sleep(POLL_INTERVAL_MS);
        throwIfStopped();
      }
      await deletions.runExclusively(() => dropRecords({ functions }));
      await writer.write((tx) => sweep.clearRuns(tx, functions));
    },
    async files(plan) {
      const ids =
        plan.kind === 'file'
          ? [plan.fileId]
          : plan.kind === 'application'
            ? (await search.listFilesOf(plan.application)).map((file) => file.file_id)
            : [];
      for (const id of ids) {
        throwIfStopped();
        await files.erase(id).catch(ignoreFailures('not_found'));
      }
    },
    async traces(plan) {
      const unusedOrigins = await search.listUnusedOrigins();
      await writer.write((tx) => {
        sweep.dropOrigins(tx, unusedOrigins);
        if (plan.kind !== 'application') return;
        sweep.eraseConsentValues(tx, plan.application);
        sweep.dropSessions(tx, plan.application);
        sweep.dropReports(tx, plan.application);
      });
    },
    async indexes() {
      // Drops the indexes of deleted endpoints. An endpoint that was created again has a new id.
      parts.indexes.reconcile();
      await parts.indexes.waitUntilIdle();
    },
    async copies(plan) {
      for (const name of await readdir(parts.home.path))
        if (isDatabaseLeftover(name)) await rm(join(parts.home.path, name), { force: true });
      await parts.waitUntilBackupsIdle();
      throwIfStopped();
      for (const name of await readdir(parts.home.backups))
        if (isBackupLeftover(name)) await rm(join(parts.home.backups, name), { recursive: true, force: true });
      if (!plan.copies) return;
      for (const name of await readdir(parts.home.backups))
        if (isLocalCopyOrSidecar(name)) await rm(join(parts.home.backups, name), { force: true });
    },
    async scrub() {
      throwIfStopped();
      const resumeWrites = await writer.pause();
      try {
        await sweep.rewrite();
      } finally {
        resumeWrites();
      }
      // Until the last reader of the old state ends, the write-ahead log contains the old data.
      while (!(await sweep.emptyWriteAheadLog())) {
        await sleep(POLL_INTERVAL_MS);
        throwIfStopped();
      }
    },
  };
};
