import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statfsSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { isoTime, type Clock } from '../../../platform/clock.ts';
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
import type { MoveDetails } from './import/details-store.ts';
import type { Exported } from './export/writer.ts';
import type { About } from './import/importer.ts';
import { placesIn } from './format/paths.ts';
import { MoveProblem } from './format/error.ts';
import type { MoveStateFile } from './import/state.ts';
import type { MoveStore } from './store.ts';
import type { TransferWorker } from './worker/client.ts';

/** Moves a whole account: writes it as an archive, and brings one in. */
export type MoveService = {
  view(): MoveView;
  /** A one-time word for the download. @throws Failure forbidden | rate_limited | wrong_state */
  ticket(password: string, from: RequestOrigin, sessionId: string): Promise<string>;
  /** The archive, as it is made. @throws Failure not_found | wrong_state */
  download(ticket: string): { stream: Readable; name: string };
  /** Into a new file of this machine. @throws Failure */
  exportTo(path: string, tell: Tell): Promise<Exported>;
  /** Announces an archive; the same one again goes on where it broke off. @throws Failure wrong_state | out_of_disk */
  begin(archive: { fileName: string; size: number }): MoveView;
  receive(offset: number, piece: Readable): Promise<MoveView>;
  forget(): MoveView;
  /** Reads the archive that was sent once more. */
  check(): MoveView;
  /** Builds the account; the server then restarts with it. @throws Failure wrong_state */
  importNow(): MoveView;
  lookAt(path: string, tell: Tell): Promise<About>;
  /** For the command line: the next start puts it in its place. @throws Failure */
  importFrom(path: string, tell: Tell): Promise<About>;
  /** From now on it speaks and answers from here. @throws Failure wrong_state */
  settle(from: RequestOrigin): Promise<MoveView>;
  formerKeys(): { kid: string; publicKey: string; created: string; until: string }[];
  close(): Promise<void>;
};

type Tell = (done: number, total: number) => void;
type Progress = { done: number; total: number };

export type MoveParts = {
  store: MoveStore;
  details: MoveDetails;
  writer: Writer;
  owner: Pick<OwnerService, 'provePassword' | 'profile' | 'accountLog' | 'onSessionChange' | 'isSessionAlive'>;
  events: Pick<EventService, 'notify'>;
  contracts: Pick<ContractService, 'rejoin'>;
  /** Lets visitors in again. */
  goLight: (from: RequestOrigin) => Promise<void>;
  /** Why no archive can be made of it at this moment. */
  busy: () => string | undefined;
  home: string;
  program: string;
  clock: Clock;
  log: Log;
  worker: TransferWorker;
  state: MoveStateFile;
  /** An account lies ready to take the place of this one. */
  restart: () => void;
  /** What goes out by itself may begin. */
  speak: () => void;
};

/** Milliseconds in which the response reaches the caller. */
const AFTER_ANSWER_MS = 200;

const asFailure = (error: unknown): unknown => {
  if (!(error instanceof MoveProblem)) return error;
  const code = error.kind === 'full' ? 'out_of_disk' : error.kind === 'wrong_state' ? 'wrong_state' : 'invalid_input';
  return new Failure(code, error.message);
};
const wordsOf = (error: unknown): string =>
  error instanceof MoveProblem
    ? error.message
    : 'Something went wrong that should not. Nothing was changed. Try again.';

export const createMoveService = (parts: MoveParts): MoveService => {
  const { store, details, writer, owner, events, clock, log, worker, state, home } = parts;
  const places = placesIn(home);
  /** One at a time: each is everything that there is. */
  const downloads = createDownloadTickets<'everything'>({ sessions: owner, clock, most: 1 });
  let exporting: Progress | undefined;
  let exported: MoveView['exported'] = null;
  let job: { what: 'checking' | 'importing'; progress: Progress | undefined; ended: Promise<void> } | undefined;
  let found: About | undefined;
  let refused: string | undefined;
  let receiving = false;
  let closed = false;

  const tellAll = (): void =>
    void writer
      .write((tx) => events.notify(tx, 'moves'))
      .catch((error: unknown) => log.warn({ err: error }, 'a page was not told of a move'));

  const requireQuiet = (): void => {
    const problem = parts.busy();
    if (problem !== undefined) throw new Failure('wrong_state', problem);
    if (exporting !== undefined) throw new Failure('wrong_state', 'Another export is under way. Wait for its end.');
  };

  const exportJob = (to: string | undefined) => {
    mkdirSync(places.folder, { recursive: true, mode: 0o700 });
    const scratch = places.scratch(randomBytes(6).toString('hex'));
    return { op: 'export' as const, home, scratch, program: parts.program, now: clock.now(), to };
  };
  /** What an export that was ended left behind goes. */
  const afterExport = (scratch: string): void => {
    exporting = undefined;
    for (const beside of ['', '-wal', '-shm', '-journal']) rmSync(scratch + beside, { force: true });
    if (!closed) tellAll();
  };
  const isWhole = (): boolean => state.get().upload !== null && state.received() === state.get().upload?.size;

  const launch = (what: 'checking' | 'importing', work: (tell: Tell) => Promise<void>): void => {
    const mine = { what, progress: undefined as Progress | undefined, ended: Promise.resolve() };
    job = mine;
    mine.ended = work((done, total) => {
      mine.progress = { done, total: Math.max(done, total) };
    })
      .catch((error: unknown) => {
        if (!(error instanceof MoveProblem)) log.error({ err: error }, 'an archive was not imported');
        refused = wordsOf(error);
      })
      .finally(() => {
        job = undefined;
        if (!closed) tellAll();
      });
  };

  const launchCheck = (): void => {
    found = undefined;
    refused = undefined;
    launch('checking', async (tell) => {
      found = await worker.run({ op: 'look', home, path: places.archive }, tell);
    });
  };

  const archiveView = (): MoveView['archive'] => {
    const { upload } = state.get();
    if (upload === null) return null;
    const arriving = isWhole() ? (refused === undefined ? 'ready' : 'refused') : 'receiving';
    return {
      ...upload,
      received: state.received(),
      state: job === undefined ? arriving : job.what,
      progress: job?.progress ?? null,
      from: found ?? null,
      problem: refused ?? null,
    };
  };

  const arrivedView = (): MoveView['arrived'] => {
    const row = store.last();
    if (row === undefined) return null;
    return {
      name: row.name,
      program: row.program,
      exported: isoTime(row.exported),
      counts: archiveCountsSchema.parse(JSON.parse(row.counts)),
      arrived: isoTime(row.arrived),
      settled: row.settled === null ? null : isoTime(row.settled),
      followUps: details.followUps(),
    };
  };

  const view = (): MoveView => {
    // It was sent before the last start.
    if (isWhole() && job === undefined && found === undefined && refused === undefined) launchCheck();
    const problem = details.problem();
    return {
      exporting: exporting ?? null,
      exported,
      canImport: problem === undefined,
      problem: state.get().problem ?? problem ?? null,
      archive: archiveView(),
      arrived: arrivedView(),
    };
  };

  const requireIdle = (): void => {
    if (job !== undefined || receiving)
      throw new Failure('wrong_state', 'The archive is being read. Wait for its end.');
  };
  const requireEmpty = (): void => {
    const problem = details.problem();
    if (problem !== undefined) throw new Failure('wrong_state', problem);
  };
  const dropUpload = (): void => {
    rmSync(places.archive, { force: true });
    state.change({ upload: null, problem: null });
    found = undefined;
    refused = undefined;
  };

  return {
    view,

    ticket: (password, from, sessionId) =>
      owner.accountLog.recordRefusals('export-all', from, async () => {
        requireQuiet();
        const stillRight = await owner.provePassword(password, from);
        if (stillRight === undefined) throw new Failure('forbidden', 'This is not the password. Nothing was exported.');
        await writer.write((tx) => {
          if (!stillRight()) throw new Failure('forbidden', 'This is not the password. Nothing was exported.');
          owner.accountLog.record(tx, 'export-all', from);
        });
        return downloads.issue('everything', sessionId);
      }),

    download(ticket) {
      const { bind } = downloads.redeem(ticket);
      requireQuiet();
      const begun = exportJob(undefined);
      exporting = { done: 0, total: 0 };
      const { stream, ended } = worker.stream(begun, (done, total) => {
        exporting = { done, total: Math.max(done, total) };
      });
      bind(stream);
      ended
        .then((result) => {
          exported = { at: isoTime(clock.now()), ...result };
        })
        .catch((error: unknown) => log.warn({ err: error }, 'an export was not finished'))
        .finally(() => afterExport(begun.scratch));
      tellAll();
      const day = isoTime(clock.now()).slice(0, 10);
      return { stream, name: `pda-${owner.profile()?.name ?? 'account'}-${day}.zip` };
    },

    async exportTo(path, tell) {
      requireQuiet();
      const begun = exportJob(path);
      exporting = { done: 0, total: 0 };
      try {
        // Local access to the home folder needs no password, but the export is logged all the same.
        await writer.write((tx) => owner.accountLog.record(tx, 'export-all', { address: '127.0.0.1' }));
        return await worker.run(begun, tell);
      } catch (error) {
        throw asFailure(error);
      } finally {
        afterExport(begun.scratch);
      }
    },

    begin({ fileName, size }) {
      requireIdle();
      requireEmpty();
      const { upload } = state.get();
      if (upload?.fileName === fileName && upload.size === size && !isWhole()) return view();
      dropUpload();
      const { bavail, bsize } = statfsSync(home);
      if (bavail * bsize - DISK_RESERVE_BYTES < 2 * size)
        throw new Failure(
          'out_of_disk',
          'There is not enough room on the disk for this archive and for what is in it.',
        );
      state.change({ upload: { fileName, size }, problem: null });
      return view();
    },

    async receive(offset, piece) {
      requireIdle();
      requireEmpty();
      const { upload } = state.get();
      const received = state.received();
      if (upload === null || isWhole()) {
        piece.resume();
        throw new Failure('wrong_state', 'No archive is awaited.');
      }
      if (offset !== received) {
        piece.resume();
        throw new Failure('wrong_state', `The next piece starts at ${received}.`);
      }
      receiving = true;
      try {
        await receiveChunk(places.archive, offset, upload.size, piece);
      } finally {
        receiving = false;
      }
      return view();
    },

    forget() {
      requireIdle();
      dropUpload();
      return view();
    },

    check() {
      requireIdle();
      if (!isWhole()) throw new Failure('wrong_state', 'Not all of the archive is here.');
      launchCheck();
      return view();
    },

    importNow() {
      requireIdle();
      requireEmpty();
      if (!isWhole() || found === undefined)
        throw new Failure('wrong_state', 'There is no archive that was read to its end.');
      launch('importing', async (tell) => {
        await worker.run({ op: 'import', home, path: places.archive, now: clock.now() }, tell);
        setTimeout(parts.restart, AFTER_ANSWER_MS).unref();
      });
      return view();
    },

    lookAt: (path, tell) =>
      worker.run({ op: 'look', home, path }, tell).catch((error: unknown) => {
        throw asFailure(error);
      }),

    async importFrom(path, tell) {
      requireEmpty();
      try {
        return await worker.run({ op: 'import', home, path, now: clock.now() }, tell);
      } catch (error) {
        throw asFailure(error);
      }
    },

    async settle(from) {
      const row = store.last();
      if (row === undefined || row.settled !== null)
        throw new Failure('wrong_state', 'This account speaks from here already.');
      await writer.write((tx) => {
        if (store.settle(tx, clock.now()) === 0)
          throw new Failure('wrong_state', 'This account speaks from here already.');
        parts.contracts.rejoin(tx);
        owner.accountLog.record(tx, 'arrival-settled', from);
        events.notify(tx, 'moves');
      });
      if (row.made_dark === 1) await parts.goLight(from);
      parts.speak();
      return view();
    },

    formerKeys: () =>
      details.formerKeys().map(({ kid, public_pem: publicKey, created, retired }) => ({
        kid,
        publicKey,
        created: isoTime(created),
        until: isoTime(retired),
      })),

    async close() {
      closed = true;
      await worker.close();
      await job?.ended;
    },
  };
};
