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
import { createLocalImports, type LocalImports, type RunLocalImport } from './runs/local-files.ts';
import { importExportEntries } from './runs/export-runner.ts';
import type { Source } from './archives/source.ts';
import { createSummariser, previewFiles, type PreviewOptions } from './preview/file-preview.ts';
import { createSummaryCache } from './preview/summary-cache.ts';
import { nameOfParts, optionsTextOf, partsOf, selectionOf, type ImportPart } from './runs/options-rules.ts';
import { createImportRow, toImportJob } from './runs/job-rows.ts';
import { importElements, type ImportRunnerParts } from './runs/element-runner.ts';
import { finishImport, type ImportEnd } from './runs/finish.ts';
import type { ImportRow, Progress } from './store.ts';
import { hasAddedRecords } from './runs/resumption.ts';
import { revertImport } from './runs/reversal.ts';

export type ImportService = LocalImports & {
  /** Creates an import, to which the content of its files is then uploaded in order. @throws Failure too_large */
  create(request: ImportCreate): Promise<ImportJob>;
  /**
   * Appends a chunk to the uploaded content.
   * @throws Failure not_found; invalid_input if the chunk exceeds the announced size; wrong_state if the import is not
   *   receiving content or is receiving another chunk, if the offset is not the end of the last chunk, or if the file
   *   of the import no longer exists
   */
  receive(id: string, offset: number, chunk: Readable): Promise<ImportJob>;
  /**
   * @throws Failure not_found; wrong_state unless the file is uploaded and still exists, and the import is ready,
   *   failed or cancelled
   */
  preview(id: string, requested?: PreviewOptions): Promise<ImportPreview>;
  /**
   * Starts an import, or resumes it if the request is unchanged and the stored records still exist. Does not wait for
   * its end.
   * @throws Failure not_found; invalid_input if the request selects no kind, or reads several files as one list of
   *   elements; wrong_state during an undo, and unless the file is uploaded and the import is ready, failed or
   *   cancelled
   */
  run(id: string, request: ImportRun): Promise<ImportJob>;
  /** @throws Failure not_found */
  find(id: string): ImportJob;
  /** Returns the newest 200 imports, newest first. */
  list(): ImportJob[];
  /**
   * Cancels an import. Keeps the records that it has stored, and the uploaded file if it is complete.
   * @throws Failure not_found; wrong_state if the import is done, cancelled or undone
   */
  cancel(id: string): Promise<ImportJob>;
  /**
   * Deletes the records that all runs of this import added, and its uploaded file. Restores the records that the
   * import changed, unless they have changed since. Leaves moved records unchanged.
   * @throws Failure not_found; wrong_state during an undo, and unless the import is done, failed or cancelled
   */
  undo(id: string): Promise<ImportJob>;
  /** Hides a failed import from Home. @throws Failure not_found; wrong_state unless the import has failed */
  dismiss(id: string): Promise<ImportJob>;
  /**
   * Removes an import from the list, and deletes its uploaded file. Keeps the records.
   * @throws Failure not_found; wrong_state if the import is running or being undone
   */
  remove(id: string): Promise<void>;
  /** Resumes uploaded imports that were running when the server stopped, and deletes leftover files. */
  resume(): void;
  close(): Promise<void>;
};

const SAVE_END_RETRY_MS = 1000;

const baseNameOf = (name: string): string => basename(name.replaceAll('\\', '/'));

const columnTypesTextOf = (request: ImportRun): string | null =>
  'columnTypes' in request && request.columnTypes !== undefined ? JSON.stringify(request.columnTypes) : null;
const listTextOf = (request: ImportRun): string | null =>
  'list' in request && request.list !== undefined && request.list.length > 0 ? JSON.stringify(request.list) : null;

export const createImportService = (parts: ImportRunnerParts & { folder: string; log: Log }): ImportService => {
  const { store, kinds, records, endpoints, writer, clock, folder, log } = parts;
  const activeRuns = new Map<string, { controller: AbortController; completion: Promise<unknown> }>();
  const receivingIds = new Set<string>();
  const summaries = createSummaryCache();

  const fileOf = (id: string): string => join(folder, id);

  const rowOf = (id: string): ImportRow => {
    const row = store.find(id);
    if (row === undefined) throw new Failure('not_found', 'There is no import with this id.');
    return row;
  };
  const toJob = (row: ImportRow): ImportJob =>
    toImportJob(row, { kinds: kinds.kinds(row.id), problems: row.problem_count === 0 ? [] : kinds.problems(row.id) });
  const jobOf = (id: string): ImportJob => toJob(rowOf(id));

  const requireState = (row: ImportRow, states: readonly ImportRow['state'][], action: string): void => {
    if (!states.includes(row.state))
      throw new Failure('wrong_state', `Cannot ${action} this import: its state is "${row.state}".`);
  };

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

  /** Deletes the uploaded file. A failure is only logged, because the state of the import has been stored. */
  const dropFile = async (id: string): Promise<void> => {
    summaries.evict(id);
    await rm(fileOf(id), { force: true }).catch((error: unknown) =>
      log.warn({ err: error, import: id }, 'could not delete the file of an import'),
    );
  };

  const shutdown = new AbortController();

  /** Saves the end of an import. Retries after errors, such as a full disk, until it succeeds or the server stops. */
  const saveEnd = async (row: ImportRow, end: ImportEnd): Promise<void> => {
    while (!shutdown.signal.aborted) {
      try {
        await finishImport(parts, row, end);
        return;
      } catch {
        await sleep(SAVE_END_RETRY_MS, undefined, { signal: shutdown.signal, ref: false }).catch(() => undefined);
      }
    }
  };

  const executeRun = (row: ImportRow, signal: AbortSignal, onProgress?: (progress: Progress) => void) =>
    row.options === null
      ? importElements(parts, row, row.path ?? fileOf(row.id), signal, onProgress)
      : importExportEntries(parts, row, sourcesOf(row), signal, onProgress);

  const startInBackground = (id: string): void => {
    const controller = new AbortController();
    const row = rowOf(id);
    const completion = executeRun(row, controller.signal)
      .then((outcome) => (outcome === 'done' ? dropFile(id) : undefined))
      .catch(async (error: unknown) => {
        log.error({ err: error, import: id }, 'import stopped with an error; run it again to resume it');
        if (controller.signal.reason === 'cancelled') await saveEnd(row, { state: 'cancelled' });
        else await saveEnd(row, { state: 'failed', problem: messageOf(error) });
      })
      .finally(() => activeRuns.delete(id));
    activeRuns.set(id, { controller, completion });
  };

  const recordCountAt = (endpoint: string): number => endpoints.summary(endpoint)?.records ?? 0;
  /** Returns the highest sequence number of records that are compared with the file; null if the endpoint is empty. */
  const comparisonLimitOf = (endpoint: string): number | null =>
    recordCountAt(endpoint) === 0 ? null : records.readNewestSeq();

  /** Starts an import at its first element. @param row an import that is not running */
  const startFromBeginning = (tx: Transaction, row: Pick<ImportRow, 'id' | 'endpoint'>, request: ImportRun): void => {
    const { id } = row;
    const options = optionsTextOf(request);
    const endpoint = 'endpoint' in request ? request.endpoint : null;
    store.start(tx, {
      id,
      endpoint,
      format: request.format,
      column_types: columnTypesTextOf(request),
      list: listTextOf(request),
      before_seq: endpoint === null ? null : comparisonLimitOf(endpoint),
      options,
      started: clock.now(),
    });
    kinds.resetProblems(tx, id);
    kinds.resetCounts(tx, id);
    // The last run may have stored records at a different endpoint. An undo deletes those, too.
    if (row.endpoint !== null) kinds.addKind(tx, id, row.endpoint, null);
    if (options === null) return;
    for (const kind of selectionOf(options).selected) {
      const endpointId = endpoints.find(kind);
      const hasKeys = endpointId !== undefined && kinds.hasKeys(endpointId);
      // Keys identify the entries of imported exports. An endpoint without keys has no records of such an import, so
      // the entries are compared with its records by content.
      kinds.addKind(tx, id, kind, hasKeys ? null : comparisonLimitOf(kind));
    }
  };

  /** Returns true if the last run had the same request and made progress. */
  const hasProgress = (row: ImportRow, request: ImportRun): boolean => {
    if (row.format !== request.format) return false;
    const options = optionsTextOf(request);
    if (options !== null) return row.cursor !== null && row.options === options;
    const isSameRequest =
      'endpoint' in request &&
      row.endpoint === request.endpoint &&
      row.column_types === columnTypesTextOf(request) &&
      row.list === listTextOf(request);
    return row.position > 0 && isSameRequest;
  };

  /** Imports that are being undone, which takes many transactions. */
  const undoingIds = new Set<string>();
  const requireNotUndoing = (id: string): void => {
    if (undoingIds.has(id))
      throw new Failure('wrong_state', 'This import is being undone. Wait until that is complete.');
  };

  const requireUploaded = (row: ImportRow, action: string): void => {
    requireState(row, ['ready', 'failed', 'cancelled'], action);
    if (row.path !== null)
      throw new Failure('wrong_state', 'This file was imported from the command line. Run the same command again.');
    if (row.received !== row.size)
      throw new Failure(
        'wrong_state',
        'This import was cancelled before its upload was complete. Create a new import.',
      );
  };

  const mapMissingFile = async <T>(id: string, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if (!isMissing(error)) throw error;
      rowOf(id);
      throw new Failure('wrong_state', 'The file of this import no longer exists. Create a new import.');
    }
  };

  const preview = async (id: string, requested: PreviewOptions): Promise<ImportPreview> => {
    const row = rowOf(id);
    requireUploaded(row, 'preview');
    const sources = sourcesOf(row);
    const summarise = createSummariser(sources);
    return previewFiles(sources, requested, (bankOptions) => summaries.get(id, bankOptions, summarise));
  };

  const runLocalImport: RunLocalImport = async (row, request, options) => {
    await writer.write((tx) => {
      if (store.resume(tx, row.id)) return;
      store.insert(tx, row);
      startFromBeginning(tx, rowOf(row.id), request);
    });
    const signal = options.signal ?? new AbortController().signal;
    await executeRun(rowOf(row.id), signal, (progress) => options.onProgress?.(progress, row.size));
    return jobOf(row.id);
  };

  const cancel = async (id: string): Promise<ImportJob> => {
    const row = rowOf(id);
    const run = activeRuns.get(id);
    if (run !== undefined) {
      run.controller.abort('cancelled');
      await run.completion;
      return jobOf(id);
    }
    requireState(row, ['receiving', 'ready', 'running', 'failed'], 'cancel');
    const isUnchanged = await writer.write((tx) => {
      if (store.find(id)?.state !== row.state) return false;
      store.finish(tx, id, { state: 'cancelled', time: clock.now() });
      return true;
    });
    // A run may have started in the meantime.
    if (!isUnchanged) return cancel(id);
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
      const importParts: ImportPart[] = files.map((file) => ({ name: baseNameOf(file.fileName), size: file.size }));
      const row = createImportRow(nameOfParts(importParts.map(({ name }) => name)), size, clock.now());
      if (importParts.length > 1) row.parts = JSON.stringify(importParts);
      if (size === 0) await (await open(fileOf(row.id), 'w', 0o600)).close();
      await writer.write((tx) => store.insert(tx, row));
      return jobOf(row.id);
    },

    async receive(id, offset, chunk) {
      const row = rowOf(id);
      requireState(row, ['receiving'], 'upload to');
      if (receivingIds.has(id)) throw new Failure('wrong_state', 'Another chunk of this import is being received.');
      if (offset !== row.received) throw new Failure('wrong_state', `The next chunk starts at ${row.received}.`);
      receivingIds.add(id);
      try {
        const received = await mapMissingFile(id, () => receiveChunk(fileOf(id), offset, row.size, chunk));
        const state = received === row.size ? 'ready' : 'receiving';
        const isReceiving = await writer.write((tx) => store.setReceived(tx, id, received, state));
        // The import has been cancelled or removed, so its file is no longer needed.
        if (!isReceiving) await dropFile(id);
      } finally {
        receivingIds.delete(id);
      }
      return jobOf(id);
    },

    preview: (id, requested = {}) => mapMissingFile(id, () => preview(id, requested)),

    async run(id, request) {
      const options = optionsTextOf(request);
      const currentRow = rowOf(id);
      const hasRecords = hasProgress(currentRow, request) && (await hasAddedRecords(parts, currentRow));
      await writer.write((tx) => {
        const row = rowOf(id);
        requireUploaded(row, 'start');
        requireNotUndoing(id);
        if (options !== null && selectionOf(options).selected.length === 0)
          throw new Failure('invalid_input', 'Select at least one kind of data from this export.');
        if (options === null && row.parts !== null)
          throw new Failure('invalid_input', 'Several files can only be imported together as the parts of one export.');
        if (hasRecords && hasProgress(row, request)) store.resume(tx, id);
        else startFromBeginning(tx, row, request);
      });
      startInBackground(id);
      return jobOf(id);
    },

    find: jobOf,
    list: () => store.list().map(toJob),

    cancel,

    async undo(id) {
      const row = rowOf(id);
      requireState(row, ['done', 'failed', 'cancelled'], 'undo');
      requireNotUndoing(id);
      undoingIds.add(id);
      try {
        await revertImport(parts, row);
        await writer.write((tx) => {
          kinds.drop(tx, id);
          store.finish(tx, id, { state: 'undone', time: clock.now() });
        });
      } finally {
        undoingIds.delete(id);
      }
      await dropFile(id);
      return jobOf(id);
    },

    async dismiss(id) {
      await writer.write((tx) => {
        requireState(rowOf(id), ['failed'], 'dismiss');
        store.dismiss(tx, id, clock.now());
      });
      return jobOf(id);
    },

    async remove(id) {
      await writer.write((tx) => {
        requireNotUndoing(id);
        if (rowOf(id).state === 'running') throw new Failure('wrong_state', 'This import is running. Cancel it first.');
        kinds.drop(tx, id);
        store.remove(tx, id);
      });
      await dropFile(id);
    },

    ...createLocalImports({ store, clock, run: runLocalImport, hasAddedRecords: (row) => hasAddedRecords(parts, row) }),

    resume() {
      for (const name of readdirSync(folder)) {
        const state = store.find(name)?.state ?? 'done';
        if (state === 'done' || state === 'undone') void dropFile(name);
      }
      for (const row of store.listByState('running')) if (row.path === null) startInBackground(row.id);
    },

    async close() {
      shutdown.abort();
      for (const { controller } of activeRuns.values()) controller.abort('stopping');
      await Promise.all([...activeRuns.values()].map((run) => run.completion));
    },
  };
};
