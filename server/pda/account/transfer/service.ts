import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import type { Principal } from '../../../platform/auth/principal.ts';
import { isoTime, isoTimeOrNull, type Clock } from '../../../platform/clock.ts';
import { createDownloadTickets } from '../../../platform/http/download-tickets.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Log } from '../../../platform/log.ts';
import { receiveChunk } from '../../../platform/io/chunk-receiver.ts';
import { DISK_RESERVE_BYTES } from '../../../wire/limits.ts';
import { archiveCountsSchema, type MoveView } from '../../../wire/move.ts';
import type { ContractService } from '../../sharing/contracts/service.ts';
import type { EventService } from '../../core/events/service.ts';
import type { RequestOrigin, OwnerService } from '../../identity/owner/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { TransferDetails } from './import/details-store.ts';
import type { ExportResult } from './export/writer.ts';
import type { ArchiveSummary } from './import/importer.ts';
import { transferPaths } from './format/paths.ts';
import { TransferError } from './format/error.ts';
import type { TransferStateFile } from './import/state.ts';
import type { TransferStore } from './store.ts';
import type { TransferWorker } from './worker/client.ts';
import type { OnProgress } from './worker/jobs.ts';

export type TransferService = ReturnType<typeof createTransferService>;

type Progress = { done: number; total: number };

export type TransferParts = {
  store: TransferStore;
  details: TransferDetails;
  writer: Writer;
  owner: Pick<OwnerService, 'verifyPassword' | 'profile' | 'accountLog' | 'onSessionChange' | 'isSessionAlive'>;
  events: Pick<EventService, 'notify'>;
  contracts: Pick<ContractService, 'rejoin'>;
  /** Opens the public address again. */
  reopenAddress: (from: RequestOrigin) => Promise<void>;
  /** Returns why no export is possible; undefined if an export is possible. */
  findExportConflict: () => string | undefined;
  home: string;
  program: string;
  clock: Clock;
  log: Log;
  worker: TransferWorker;
  state: TransferStateFile;
  restart: () => void;
  resumeOutbound: () => void;
};

/** Delay before the restart, so that the client receives the response. */
const RESPONSE_DELAY_MS = 200;

const rethrowAsFailure = (error: unknown): never => {
  if (!(error instanceof TransferError)) throw error;
  const code = error.kind === 'full' ? 'out_of_disk' : error.kind === 'wrong_state' ? 'wrong_state' : 'invalid_input';
  throw new Failure(code, error.message);
};
const problemText = (error: unknown): string =>
  error instanceof TransferError ? error.message : 'An unexpected error occurred. Nothing was changed. Try again.';

export const createTransferService = (parts: TransferParts) => {
  const { store, details, writer, owner, events, clock, log, worker, state, home } = parts;
  const paths = transferPaths(home);
  /** One ticket suffices, because each download contains the whole account. */
  const downloads = createDownloadTickets<'everything'>({ sessions: owner, clock, maxTickets: 1 });
  let exportProgress: Progress | undefined;
  let lastExport: MoveView['exported'] = null;
  let job: { what: 'checking' | 'importing'; progress: Progress | undefined; ended: Promise<void> } | undefined;
  let summary: ArchiveSummary | undefined;
  let rejection: string | undefined;
  let isReceiving = false;
  let isClosed = false;

  const notify = (): void =>
    void writer
      .write((tx) => events.notify(tx, 'moves'))
      .catch((error: unknown) => log.warn({ err: error }, 'could not send the change event of a transfer'));

  const requireExportable = (): void => {
    const problem = parts.findExportConflict();
    if (problem !== undefined) throw new Failure('wrong_state', problem);
    if (exportProgress !== undefined)
      throw new Failure('wrong_state', 'Another export is running. Wait until it is complete.');
  };

  const createExportJob = (to: string | undefined) => {
    mkdirSync(paths.folder, { recursive: true, mode: 0o700 });
    const snapshotPath = paths.snapshot(randomBytes(6).toString('hex'));
    return { op: 'export' as const, home, snapshotPath, program: parts.program, now: clock.now(), to };
  };
  const endExport = (snapshotPath: string): void => {
    exportProgress = undefined;
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(snapshotPath + suffix, { force: true });
    if (!isClosed) notify();
  };
  const isUploaded = (): boolean =>
    state.get().upload !== null && state.getReceivedBytes() === state.get().upload?.size;

  const startJob = (what: 'checking' | 'importing', runWork: (onProgress: OnProgress) => Promise<void>): void => {
    const newJob = { what, progress: undefined as Progress | undefined, ended: Promise.resolve() };
    job = newJob;
    newJob.ended = runWork((done, total) => {
      newJob.progress = { done, total: Math.max(done, total) };
    })
      .catch((error: unknown) => {
        if (!(error instanceof TransferError)) log.error({ err: error }, 'could not check or import an archive');
        rejection = problemText(error);
      })
      .finally(() => {
        job = undefined;
        if (!isClosed) notify();
      });
  };

  const startCheck = (): void => {
    summary = undefined;
    rejection = undefined;
    startJob('checking', async (onProgress) => {
      summary = await worker.run({ op: 'inspect', home, path: paths.archive }, onProgress);
    });
  };

  const archiveView = (): MoveView['archive'] => {
    const { upload } = state.get();
    if (upload === null) return null;
    const uploadState = isUploaded() ? (rejection === undefined ? 'ready' : 'refused') : 'receiving';
    return {
      ...upload,
      received: state.getReceivedBytes(),
      state: job === undefined ? uploadState : job.what,
      progress: job?.progress ?? null,
      from: summary ?? null,
      problem: rejection ?? null,
    };
  };

  const importView = (): MoveView['arrived'] => {
    const row = store.findLast();
    if (row === undefined) return null;
    return {
      name: row.name,
      program: row.program,
      exported: isoTime(row.exported),
      counts: archiveCountsSchema.parse(JSON.parse(row.counts)),
      arrived: isoTime(row.arrived),
      settled: isoTimeOrNull(row.settled),
      followUps: details.followUps(),
    };
  };

  const view = (): MoveView => {
    // The result of a check is not stored, so the check is repeated after a restart.
    if (isUploaded() && job === undefined && summary === undefined && rejection === undefined) startCheck();
    const problem = details.problem();
    return {
      exporting: exportProgress ?? null,
      exported: lastExport,
      canImport: problem === undefined,
      problem: state.get().problem ?? problem ?? null,
      archive: archiveView(),
      arrived: importView(),
    };
  };

  const requireIdle = (): void => {
    if (job !== undefined || isReceiving)
      throw new Failure(
        'wrong_state',
        'The archive is being uploaded, checked or imported. Wait until this is complete.',
      );
  };
  const requireEmptyAccount = (): void => {
    const problem = details.problem();
    if (problem !== undefined) throw new Failure('wrong_state', problem);
  };
  const deleteUpload = (): void => {
    rmSync(paths.archive, { force: true });
    state.change({ upload: null, problem: null });
    summary = undefined;
    rejection = undefined;
  };

  return {
    /** Returns the status. If the upload is complete and has no check result, starts the check. */
    view,

    /** @throws Failure forbidden | rate_limited | wrong_state */
    issueTicket: (password: string, from: RequestOrigin, principal: Principal): Promise<string> =>
      owner.accountLog.recordRefusals('export-all', from, async () => {
        requireExportable();
        const isPasswordUnchanged = await owner.verifyPassword(password, from);
        if (isPasswordUnchanged === undefined) throw new Failure('forbidden', 'Wrong password. Nothing was exported.');
        await writer.write((tx) => {
          if (!isPasswordUnchanged()) throw new Failure('forbidden', 'Wrong password. Nothing was exported.');
          owner.accountLog.record(tx, 'export-all', from);
        });
        return downloads.issue('everything', principal);
      }),

    /** Streams the archive while it is created. @throws Failure not_found | wrong_state */
    download(ticket: string): { stream: Readable; name: string } {
      const { bind } = downloads.redeem(ticket);
      requireExportable();
      const exportJob = createExportJob(undefined);
      exportProgress = { done: 0, total: 0 };
      const { stream, ended } = worker.stream(exportJob, (done, total) => {
        exportProgress = { done, total: Math.max(done, total) };
      });
      bind(stream);
      ended
        .then((result) => {
          lastExport = { at: isoTime(clock.now()), ...result };
        })
        .catch((error: unknown) => log.warn({ err: error }, 'an export failed'))
        .finally(() => endExport(exportJob.snapshotPath));
      notify();
      const day = isoTime(clock.now()).slice(0, 10);
      return { stream, name: `pda-${owner.profile()?.name ?? 'account'}-${day}.zip` };
    },

    /** Exports the account to a new file on this machine. @throws Failure */
    async exportTo(path: string, onProgress: OnProgress): Promise<ExportResult> {
      requireExportable();
      const exportJob = createExportJob(path);
      exportProgress = { done: 0, total: 0 };
      try {
        // The command line has access to the home and therefore needs no password. The export is still logged.
        await writer.write((tx) => owner.accountLog.record(tx, 'export-all', { address: '127.0.0.1' }));
        return await worker.run(exportJob, onProgress).catch(rethrowAsFailure);
      } finally {
        endExport(exportJob.snapshotPath);
      }
    },

    /**
     * Begins an upload, or resumes an interrupted one with the same name and size.
     * @throws Failure wrong_state | out_of_disk
     */
    begin({ fileName, size }: { fileName: string; size: number }): MoveView {
      requireIdle();
      requireEmptyAccount();
      const { upload } = state.get();
      if (upload?.fileName === fileName && upload.size === size && !isUploaded()) return view();
      deleteUpload();
      const { bavail, bsize } = statfsSync(home);
      if (bavail * bsize - DISK_RESERVE_BYTES < 2 * size)
        throw new Failure(
          'out_of_disk',
          'There is not enough disk space for this archive and its content. Free some space and try again.',
        );
      state.change({ upload: { fileName, size }, problem: null });
      return view();
    },

    /**
     * Receives a chunk. Starts a check of the archive when the upload is complete.
     * @throws Failure wrong_state | invalid_input if the upload exceeds its announced size
     * @throws the error of the file system, or of the connection if nothing was received
     */
    async receive(offset: number, chunk: Readable): Promise<MoveView> {
      requireIdle();
      requireEmptyAccount();
      const { upload } = state.get();
      const receivedBytes = state.getReceivedBytes();
      if (upload === null || isUploaded()) {
        chunk.resume();
        throw new Failure('wrong_state', 'No upload of an archive is in progress. Announce one first.');
      }
      if (offset !== receivedBytes) {
        chunk.resume();
        throw new Failure('wrong_state', `The next chunk starts at ${receivedBytes}.`);
      }
      isReceiving = true;
      try {
        await receiveChunk(paths.archive, offset, upload.size, chunk);
      } finally {
        isReceiving = false;
      }
      return view();
    },

    /** @throws Failure wrong_state */
    discardUpload(): MoveView {
      requireIdle();
      deleteUpload();
      return view();
    },

    /** @throws Failure wrong_state */
    check(): MoveView {
      requireIdle();
      if (!isUploaded())
        throw new Failure('wrong_state', 'No archive has been uploaded completely. Complete the upload first.');
      startCheck();
      return view();
    },

    /** Imports the upload. The server then restarts with the imported account. @throws Failure wrong_state */
    importNow(): MoveView {
      requireIdle();
      requireEmptyAccount();
      if (!isUploaded() || summary === undefined)
        throw new Failure(
          'wrong_state',
          'No uploaded archive has passed the check. Upload an archive and wait until it has been checked.',
        );
      startJob('importing', async (onProgress) => {
        await worker.run({ op: 'import', home, path: paths.archive, now: clock.now() }, onProgress);
        setTimeout(parts.restart, RESPONSE_DELAY_MS).unref();
      });
      return view();
    },

    /** Verifies an archive on this machine. @throws Failure */
    inspect: (path: string, onProgress: OnProgress): Promise<ArchiveSummary> =>
      worker.run({ op: 'inspect', home, path }, onProgress).catch(rethrowAsFailure),

    /**
     * Imports an archive on this machine. The next start replaces this account with the imported one, which stays
     * inactive until `settle`.
     * @throws Failure
     */
    async importFrom(path: string, onProgress: OnProgress): Promise<ArchiveSummary> {
      requireEmptyAccount();
      return worker.run({ op: 'import', home, path, now: clock.now() }, onProgress).catch(rethrowAsFailure);
    },

    /**
     * Activates the imported account: resumes outbound services, and reopens the public address if it was open before
     * the import.
     * @throws Failure wrong_state
     */
    async settle(from: RequestOrigin): Promise<MoveView> {
      const row = store.findLast();
      if (row === undefined)
        throw new Failure('wrong_state', 'This account was not imported, so there is nothing to activate.');
      if (row.settled !== null) throw new Failure('wrong_state', 'The imported account is already active.');
      await writer.write((tx) => {
        if (store.settle(tx, clock.now()) === 0)
          throw new Failure('wrong_state', 'The imported account is already active.');
        parts.contracts.rejoin(tx);
        owner.accountLog.record(tx, 'arrival-settled', from);
        events.notify(tx, 'moves');
      });
      if (row.made_dark === 1) await parts.reopenAddress(from);
      parts.resumeOutbound();
      return view();
    },

    formerKeys: (): { kid: string; publicKey: string; created: string; until: string }[] =>
      details.formerKeys().map(({ kid, public_pem: publicKey, created, retired }) => ({
        kid,
        publicKey,
        created: isoTime(created),
        until: isoTime(retired),
      })),

    async close(): Promise<void> {
      isClosed = true;
      await worker.close();
      await job?.ended;
    },
  };
};
