import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure, ignoring } from '../../../../platform/failure.ts';
import type { ErasureStep } from '../../../../wire/erasure-steps.ts';
import type { ApplicationService } from '../../../sharing/applications/service.ts';
import type { FileService } from '../../../files/service.ts';
import type { ImportService } from '../../../data/imports/service.ts';
import type { OwnerService } from '../../../identity/owner/service.ts';
import type { Origin, RecordService } from '../../../data/records/service.ts';
import type { Writer } from '../../../storage/index.ts';
import type { Plan } from './planner.ts';
import { belongsToACopy, isBackupRemainder, isDatabaseRemainder } from '../home/copy-rules.ts';
import { pathsOf } from '../rules.ts';
import type { SearchStore, StoredBy } from './search-store.ts';
import type { SweepStore } from './sweep-store.ts';

/**
 * The steps of an erasure. Each can be done again from its beginning, with the same end: what stops the server in the middle of one is no more than a
 * delay. None holds the event loop: rows go some at a time, and what takes long runs in a thread.
 */

export type Steps = Record<Exclude<ErasureStep, 'scrub'>, (plan: Plan) => Promise<void>> & {
  /** The same of whatever went. */
  scrub(): Promise<void>;
};

export type StepParts = {
  search: SearchStore;
  sweep: SweepStore;
  writer: Writer;
  records: Pick<RecordService, 'remove'>;
  deletions: {
    clearEndpoint(path: string, origin: Origin): Promise<void>;
    sweep(): Promise<void>;
  };
  imports: Pick<ImportService, 'cancel' | 'remove' | 'find'>;
  files: Pick<FileService, 'erase'>;
  applications: Pick<ApplicationService, 'disable'>;
  owner: Pick<OwnerService, 'endApplicationSessions'>;
  indexes: { reconcile(): void; whenIdle(): Promise<void> };
  home: { path: string; backups: string };
  /** Resolves when no backup is being made or tried: what they work with lies in the home meanwhile. */
  backupsIdle: () => Promise<void>;
  /** Throws when the server stops; the next start resumes the erasure. */
  still: () => void;
};

const OWNER: Origin = { kind: 'owner', name: 'owner' };
/** Records that go in one transaction: some milliseconds. */
const ROWS_AT_ONCE = 100;
/** Rows that one look brings. */
const LOOK_AT_ONCE = 5000;
const RETRY_MS = 100;
/** Milliseconds after which a function that still runs is not waited for: none may run so long. */
const MAX_FUNCTION_WAIT_MS = 20 * 60_000;
/** Looks that find the same rows left: then something is wrong that trying does not mend. */
const MAX_ROUNDS = 50;

export const createSteps = (parts: StepParts): Steps => {
  const { search, sweep, writer, records, deletions, imports, files, still } = parts;
  const stuck = (): Failure => new Failure('internal_error', 'Some of it could not be taken away. It is tried again.');

  const dropRecords = async (of: StoredBy): Promise<void> => {
    for (let after = -1; ;) {
      const spots = await search.spots(of, after, LOOK_AT_ONCE);
      const last = spots.at(-1);
      if (last === undefined) break;
      for (let at = 0; at < spots.length; at += ROWS_AT_ONCE) {
        still();
        await dropSome(spots.slice(at, at + ROWS_AT_ONCE).map(({ id }) => id));
      }
      after = last.seq;
    }
    for (;;) {
      still();
      const spots = await search.hiddenSpots(of, LOOK_AT_ONCE);
      if (spots.length === 0) break;
      for (let at = 0; at < spots.length; at += ROWS_AT_ONCE)
        await writer.write((tx) => sweep.dropHidden(tx, spots.slice(at, at + ROWS_AT_ONCE)));
    }
    do still();
    while (await writer.write((tx) => sweep.dropKeptOf(tx, of, ROWS_AT_ONCE)));
  };

  /** Drops records together, or one by one if another request deleted one of them meanwhile. */
  const dropSome = async (ids: readonly string[]): Promise<void> => {
    try {
      await records.remove(ids, () => true, OWNER);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'data_missing') throw error;
      for (const id of ids) await records.remove([id], () => true, OWNER).catch(ignoring('data_missing'));
    }
  };

  const dropNamespace = async (namespace: string): Promise<void> => {
    const range = pathsOf(namespace);
    for (const path of await search.endpoints(range)) {
      still();
      await deletions.clearEndpoint(path, OWNER);
    }
    await writer.write((tx) => sweep.giveUpEndpoints(tx, range));
    do still();
    while (await writer.write((tx) => sweep.dropKept(tx, range, ROWS_AT_ONCE)));
    let before = Number.POSITIVE_INFINITY;
    for (let round = 0; sweep.onTheWayOut() > 0; round += 1) {
      still();
      // No progress has a cause such as a full disk: report it and retry later.
      if (round > MAX_ROUNDS && sweep.onTheWayOut() >= before) throw stuck();
      before = sweep.onTheWayOut();
      await deletions.sweep();
    }
  };

  const hold = async (plan: Plan): Promise<void> => {
    if (plan.kind === 'application') {
      // Unknown: nothing of it is set up, and nothing holds rights.
      await parts.applications.disable(plan.application).catch(ignoring('not_found'));
      await writer.write((tx) => void parts.owner.endApplicationSessions(tx, plan.application));
    }
    if (plan.kind !== 'namespace') return;
    for (const { id } of await search.imports(pathsOf(plan.namespace))) {
      await imports.cancel(id).catch(ignoring('wrong_state', 'not_found'));
      await imports.remove(id).catch(ignoring('not_found'));
    }
  };

  const dropFiles = async (plan: Plan): Promise<void> => {
    const ids =
      plan.kind === 'file'
        ? [plan.fileId]
        : plan.kind === 'application'
          ? (await search.filesOf(plan.application)).map((file) => file.file_id)
          : [];
    for (const id of ids) {
      still();
      await files.erase(id).catch(ignoring('not_found'));
    }
  };

  /** What a function has read before it was gone, it may still store. */
  const afterRuns = async (functions: readonly string[]): Promise<void> => {
    for (let waited = 0; sweep.isRunning(functions) && waited < MAX_FUNCTION_WAIT_MS; waited += RETRY_MS) {
      await sleep(RETRY_MS);
      still();
    }
  };

  return {
    hold,
    async records(plan) {
      if (plan.kind === 'namespace') await dropNamespace(plan.namespace);
      if (plan.kind === 'application') await dropRecords({ application: plan.application });
    },
    async derived({ functions }) {
      if (functions.length === 0) return;
      await afterRuns(functions);
      await dropRecords({ functions });
      await writer.write((tx) => sweep.clearRuns(tx, functions));
    },
    files: dropFiles,
    async traces(plan) {
      const lost = await search.lostOrigins();
      await writer.write((tx) => {
        sweep.dropOrigins(tx, lost);
        if (plan.kind !== 'application') return;
        sweep.emptyConsents(tx, plan.application);
        sweep.dropSessions(tx, plan.application);
        sweep.dropReports(tx, plan.application);
      });
    },
    async indexes() {
      // An endpoint that was deleted and is there again has another number: indexes of the old one go.
      parts.indexes.reconcile();
      await parts.indexes.whenIdle();
    },
    async copies(plan) {
      for (const name of await readdir(parts.home.path))
        if (isDatabaseRemainder(name)) await rm(join(parts.home.path, name), { force: true });
      await parts.backupsIdle();
      still();
      for (const name of await readdir(parts.home.backups))
        if (isBackupRemainder(name)) await rm(join(parts.home.backups, name), { recursive: true, force: true });
      if (!plan.copies) return;
      for (const name of await readdir(parts.home.backups))
        if (belongsToACopy(name)) await rm(join(parts.home.backups, name), { force: true });
    },
    async scrub() {
      still();
      const goOn = await writer.pause();
      try {
        await sweep.rewrite();
      } finally {
        goOn();
      }
      // Readers that began before the rewrite still see the old data, and the write-ahead log keeps it until they finish.
      while (!(await sweep.emptyLog())) {
        await sleep(RETRY_MS);
        still();
      }
    },
  };
};
