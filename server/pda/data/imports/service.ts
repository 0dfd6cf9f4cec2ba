import { readdirSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../platform/failure.ts';
import { isMissing } from '../../../platform/io/file-system.ts';
import type { Log } from '../../../platform/log.ts';
import { receiveChunk } from '../../../platform/io/chunk-receiver.ts';
import type { ImportCreate, ImportJob, ImportPreview, ImportRun } from '../../../wire/imports.ts';
import { MAX_IMPORT_BYTES } from '../../../wire/limits.ts';
import { messageOf } from '../../../wire/values.ts';
import type { Transaction } from '../../storage/index.ts';
import { createImportsInPlace, type ImportsInPlace, type RunInPlace } from './runs/local-files.ts';
import { runKnown } from './runs/export-runner.ts';
import type { Source } from './archives/source.ts';
import { lookIntoThread, previewFiles, type Asked } from './preview/file-preview.ts';
import { createLooks } from './preview/summary-cache.ts';
import { nameOfParts, optionsOf, optionsText, partsOf, wantedOf, type ImportPart } from './runs/options-rules.ts';
import { newRow, toWire } from './runs/job-rows.ts';
import { runImport, type RunnerParts } from './runs/element-runner.ts';
import type { ImportRow, Progress } from './store.ts';
import { takeBack } from './runs/reversal.ts';

export type ImportService = ImportsInPlace & {
  /** Announces a file, or the parts of one export, whose contents then arrive one after another. */
  create(request: ImportCreate): Promise<ImportJob>;
  /** Takes the next piece of the file. @throws Failure wrong_state when the offset is not where the last piece ended */
  receive(id: string, offset: number, piece: Readable): Promise<ImportJob>;
  preview(id: string, asked?: Asked): Promise<ImportPreview>;
  run(id: string, request: ImportRun): Promise<ImportJob>;
  find(id: string): ImportJob;
  list(): ImportJob[];
  cancel(id: string): Promise<ImportJob>;
  /** Takes every record away that this import added, and gives back what it changed. */
  undo(id: string): Promise<ImportJob>;
  forget(id: string): Promise<void>;
  /** Goes on with what the last stop interrupted. */
  resume(): void;
  close(): Promise<void>;
};

const RETRY_MS = 1000;
/** A file of any other import was left by a stop between the end of the import and the removal of its file. */
const NEEDS_FILE: ReadonlySet<ImportRow['state']> = new Set(['receiving', 'ready', 'running', 'failed', 'cancelled']);
const plainName = (name: string): string => basename(name.replaceAll('\\', '/'));

const columnTypesText = (request: ImportRun): string | null =>
  'columnTypes' in request && request.columnTypes !== undefined ? JSON.stringify(request.columnTypes) : null;

/** What reads files is loaded when there is one to read. */
export const createImportService = (parts: RunnerParts & { folder: string; log: Log }): ImportService => {
  const { store, kinds, records, endpoints, writer, clock, folder, log } = parts;
  const running = new Map<string, { controller: AbortController; ended: Promise<unknown> }>();
  const receiving = new Set<string>();
  const looks = createLooks();

  const fileOf = (id: string): string => join(folder, id);

  const rowOf = (id: string): ImportRow => {
    const row = store.find(id);
    if (row === undefined) throw new Failure('not_found', 'This import is not known (any more).');
    return row;
  };
  const told = (row: ImportRow): ImportJob =>
    toWire(row, { kinds: kinds.kinds(row.id), troubles: row.broken === 0 ? [] : kinds.troubles(row.id) });
  const jobOf = (id: string): ImportJob => told(rowOf(id));

  const inState = (row: ImportRow, states: readonly ImportRow['state'][], doing: string): void => {
    if (!states.includes(row.state))
      throw new Failure('wrong_state', `An import that is ${row.state} cannot be ${doing}.`);
  };

  /** The files of an import: end to end in what was uploaded, or each where it lies. */
  const sourcesOf = (row: ImportRow): Source[] => {
    let start = 0;
    return partsOf(row).map((part) => {
      const source =
        part.path === undefined
          ? { path: row.path ?? fileOf(row.id), start, size: part.size, name: part.name }
          : { path: part.path, start: 0, size: part.size, name: part.name };
      start += part.size;
      return source;
    });
  };

  const dropFile = async (id: string): Promise<void> => {
    looks.forget(id);
    await rm(fileOf(id), { force: true });
  };

  const closing = new AbortController();

  /** On a full disk not even the end of an import can be written: it is tried until there is room, or until the server stops. */
  const recordEnd = async (id: string, state: 'failed' | 'cancelled', problem: string | undefined): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        const end = { state, time: clock.now(), ...(problem === undefined ? {} : { problem }) };
        await writer.write((tx) => store.finish(tx, id, end));
        return;
      } catch {
        await sleep(RETRY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined);
      }
    }
  };

  const work = async (row: ImportRow, signal: AbortSignal, onProgress?: (progress: Progress) => void) => {
    if (row.options !== null) {
      return runKnown(parts, row, sourcesOf(row), signal, onProgress);
    }
    return runImport(parts, row, row.path ?? fileOf(row.id), signal, onProgress);
  };

  const launch = (id: string): void => {
    const controller = new AbortController();
    const ended = work(rowOf(id), controller.signal)
      .then((outcome) => (outcome === 'done' ? dropFile(id) : undefined))
      .catch(async (error: unknown) => {
        log.error({ err: error, import: id }, 'an import stopped; it can be gone on with');
        if (controller.signal.reason === 'cancelled') await recordEnd(id, 'cancelled', undefined);
        else await recordEnd(id, 'failed', messageOf(error));
      })
      .finally(() => running.delete(id));
    running.set(id, { controller, ended });
  };

  const heldAt = (endpoint: string): number => endpoints.summary(endpoint)?.records ?? 0;
  /** What is here now is what the file is compared with; at an empty endpoint there is nothing to compare. */
  const newestAt = (endpoint: string): number | null => (heldAt(endpoint) === 0 ? null : records.newestSeq());

  const startWithin = (tx: Transaction, id: string, request: ImportRun): boolean => {
    const options = optionsOf(request);
    const endpoint = 'endpoint' in request ? request.endpoint : null;
    const started = store.start(tx, {
      id,
      endpoint,
      format: request.format,
      column_types: columnTypesText(request),
      before_seq: endpoint === null ? null : newestAt(endpoint),
      options: options === undefined ? null : optionsText(options),
      started: clock.now(),
    });
    if (!started || options === undefined) return started;
    kinds.forgetCounts(tx, id);
    for (const kind of wantedOf({ options: optionsText(options) }).wanted) {
      const number = endpoints.find(kind);
      // Keys tell what came in another export. Where there are none, what is here came in another way, and is compared as it is.
      kinds.addKind(tx, id, kind, number !== undefined && kinds.hasKeys(number) ? null : newestAt(kind));
    }
    return started;
  };

  /** Whether a run would do the same as the one that did not end, and what that one stored is still here. */
  const canGoOn = (row: ImportRow, request: ImportRun): boolean => {
    if (row.format !== request.format) return false;
    const options = optionsOf(request);
    if (options !== undefined) {
      return (
        row.reached !== null &&
        row.options === optionsText(options) &&
        kinds.kinds(row.id).every(({ endpoint, added }) => heldAt(endpoint) >= added)
      );
    }
    if (!('endpoint' in request)) return false;
    const same = row.endpoint === request.endpoint && row.column_types === columnTypesText(request);
    return row.position > 0 && same && heldAt(request.endpoint) >= row.added;
  };

  /** Imports that are being taken back, in many steps: nothing else may begin with them meanwhile. */
  const undoing = new Set<string>();
  const expectKept = (id: string): void => {
    if (undoing.has(id)) throw new Failure('wrong_state', 'This import is being undone.');
  };

  const begin = (tx: Transaction, row: ImportRow, request: ImportRun): void => {
    expectKept(row.id);
    const begun = canGoOn(row, request) ? store.goOn(tx, row.id) : startWithin(tx, row.id, request);
    if (!begun) throw new Failure('wrong_state', 'This import is running already.');
  };

  /** Refuses unless the uploaded file is here and whole. */
  const expectUploaded = (row: ImportRow): void => {
    if (row.path !== null) {
      throw new Failure('wrong_state', 'This file was imported by the command line. Run the same command again.');
    }
    if (row.received !== row.size) throw new Failure('wrong_state', 'The file of this import did not arrive whole.');
  };

  /** Maps the error of a file that was deleted while it was read, with its import or at its end. */
  const whileItIsHere = async <T>(id: string, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (!isMissing(error)) throw error;
      rowOf(id);
      throw new Failure('wrong_state', 'The file of this import is not here any more.');
    }
  };

  const preview = async (id: string, asked: Asked): Promise<ImportPreview> => {
    const row = rowOf(id);
    inState(row, ['ready', 'failed', 'cancelled'], 'previewed');
    expectUploaded(row);
    const sources = sourcesOf(row);
    const look = lookIntoThread(sources);
    return previewFiles(sources, asked, (bank) => looks.of(id, bank, look));
  };

  const runInPlace: RunInPlace = async (row, request, again, options) => {
    await writer.write((tx) => {
      if (again && store.goOn(tx, row.id)) return;
      store.insert(tx, row);
      startWithin(tx, row.id, request);
    });
    const signal = options.signal ?? new AbortController().signal;
    await work(rowOf(row.id), signal, (progress) => options.onProgress?.(progress, row.size));
    return jobOf(row.id);
  };

  const cancel = async (id: string): Promise<ImportJob> => {
    const row = rowOf(id);
    const run = running.get(id);
    if (run !== undefined) {
      run.controller.abort('cancelled');
      await run.ended;
      return jobOf(id);
    }
    inState(row, ['receiving', 'ready', 'running', 'failed'], 'cancelled');
    const isSame = await writer.write((tx) => {
      if (store.find(id)?.state !== row.state) return false;
      store.finish(tx, id, { state: 'cancelled', time: clock.now() });
      return true;
    });
    // Started meanwhile: then there is a run to be stopped.
    if (!isSame) return cancel(id);
    if (row.state === 'receiving') await dropFile(id);
    return jobOf(id);
  };

  return {
    async create(request) {
      const files = 'files' in request ? request.files : [request];
      const size = files.reduce((sum, file) => sum + file.size, 0);
      if (size > MAX_IMPORT_BYTES) {
        throw new Failure('too_large', `Files to import are limited to ${MAX_IMPORT_BYTES} bytes. Split them.`);
      }
      const list: ImportPart[] = files.map((file) => ({ name: plainName(file.fileName), size: file.size }));
      const plain = newRow(nameOfParts(list.map(({ name }) => name)), size, clock.now());
      const row = { ...plain, parts: list.length === 1 ? null : JSON.stringify(list) };
      if (size === 0) await (await open(fileOf(row.id), 'w', 0o600)).close();
      await writer.write((tx) => store.insert(tx, row));
      return told(row);
    },

    async receive(id, offset, piece) {
      const row = rowOf(id);
      inState(row, ['receiving'], 'uploaded to');
      if (receiving.has(id)) throw new Failure('wrong_state', 'Another piece of this import is arriving right now.');
      if (offset !== row.received) throw new Failure('wrong_state', `The next piece starts at ${row.received}.`);
      receiving.add(id);
      try {
        const received = await whileItIsHere(id, () => receiveChunk(fileOf(id), offset, row.size, piece));
        const state = received === row.size ? 'ready' : 'receiving';
        const waited = await writer.write((tx) => store.setReceived(tx, id, received, state));
        // The import was cancelled or removed meanwhile, so its file is no longer needed.
        if (!waited) await dropFile(id);
      } finally {
        receiving.delete(id);
      }
      return jobOf(id);
    },

    preview: (id, asked = {}) => whileItIsHere(id, () => preview(id, asked)),

    async run(id, request) {
      const row = rowOf(id);
      inState(row, ['ready', 'failed', 'cancelled'], 'started');
      expectUploaded(row);
      const options = optionsOf(request);
      if (options !== undefined && wantedOf({ options: optionsText(options) }).wanted.length === 0)
        throw new Failure('invalid_input', 'Nothing of this export is wanted.');
      if (options === undefined && row.parts !== null)
        throw new Failure('invalid_input', 'Several files are imported together only as the parts of one export.');
      await writer.write((tx) => begin(tx, rowOf(id), request));
      launch(id);
      return jobOf(id);
    },

    find: jobOf,
    list: () => store.list().map(told),

    cancel,

    async undo(id) {
      const row = rowOf(id);
      inState(row, ['done', 'failed', 'cancelled'], 'undone');
      expectKept(id);
      undoing.add(id);
      try {
        await takeBack(parts, row);
        await writer.write((tx) => {
          kinds.drop(tx, id);
          store.finish(tx, id, { state: 'undone', time: clock.now() });
        });
      } finally {
        undoing.delete(id);
      }
      await dropFile(id);
      return jobOf(id);
    },

    async forget(id) {
      rowOf(id);
      await writer.write((tx) => {
        expectKept(id);
        // As it is by then: of one that was just started nothing would be left to undo it by.
        if (store.find(id)?.state === 'running')
          throw new Failure('wrong_state', 'This import is running. Cancel it first.');
        kinds.drop(tx, id);
        store.remove(tx, id);
      });
      await dropFile(id);
    },

    ...createImportsInPlace({ store, clock, run: runInPlace }),

    resume() {
      for (const name of readdirSync(folder))
        if (!NEEDS_FILE.has(store.find(name)?.state ?? 'done')) void dropFile(name);
      for (const row of store.inState('running')) if (row.path === null) launch(row.id);
    },

    async close() {
      closing.abort();
      for (const { controller } of running.values()) controller.abort('stopping');
      await Promise.all([...running.values()].map((run) => run.ended));
    },
  };
};
