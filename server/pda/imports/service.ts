import { randomUUID } from 'node:crypto';
import { createReadStream, readdirSync } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { isoTime } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import { MAX_IMPORT_BYTES } from '../../wire/limits.ts';
import type { ImportJob, ImportPreview } from '../../wire/owner.ts';
import type { Transaction } from '../storage/index.ts';
import type { ImportFormat } from './elements.ts';
import type { FormatGuess } from './guess-format.ts';
import type { RunnerParts } from './runner.ts';
import type { ImportRow, Progress } from './store.ts';
import { asDiskFailure, receivePiece } from '../../platform/receive-piece.ts';

export type RunRequest = {
  endpoint: string;
  format: ImportFormat;
  columnTypes?: Record<string, 'text' | 'number' | 'boolean' | 'skip'> | undefined;
};

export type ImportService = {
  create(request: { fileName: string; size: number }): Promise<ImportJob>;
  /** Takes the next piece of the file. @throws Failure wrong_state when the offset is not where the last piece ended */
  receive(id: string, offset: number, piece: Readable): Promise<ImportJob>;
  preview(id: string, format?: ImportFormat): Promise<ImportPreview>;
  run(id: string, request: RunRequest): Promise<ImportJob>;
  find(id: string): ImportJob;
  list(): ImportJob[];
  cancel(id: string): Promise<ImportJob>;
  /** Takes every record away that this import added. */
  undo(id: string): Promise<ImportJob>;
  forget(id: string): Promise<void>;
  /** Imports a file where it lies, going on where an interrupted run of the same file ended. */
  importFile(
    path: string,
    endpoint: string,
    options: { format?: ImportFormat; onProgress?: (progress: Progress, size: number) => void; signal?: AbortSignal },
  ): Promise<ImportJob>;
  /** Goes on with what the last stop interrupted. */
  resume(): void;
  close(): Promise<void>;
};

const PREVIEW_ELEMENTS = 20;
const GUESS_BYTES = 65_536;
const UNDO_AT_ONCE = 300;
const RETRY_MS = 1000;
/** A file of any other import was left by a stop between the end of the import and the removal of its file. */
const NEEDS_FILE: ReadonlySet<ImportRow['state']> = new Set(['receiving', 'ready', 'running', 'failed', 'cancelled']);

const isoOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms));

const toWire = (row: ImportRow): ImportJob => ({
  importId: row.id,
  fileName: row.file_name,
  size: row.size,
  received: row.received,
  state: row.state,
  endpoint: row.endpoint,
  format: row.format,
  bytesRead: row.bytes_read,
  added: row.added,
  skipped: row.skipped,
  error: row.error_problem === null ? null : { line: row.error_line, problem: row.error_problem },
  started: isoOrNull(row.started),
  finished: isoOrNull(row.finished),
  created: isoTime(row.created),
});

const columnTypesText = ({ columnTypes }: RunRequest): string | null =>
  columnTypes === undefined ? null : JSON.stringify(columnTypes);

const newRow = (fileName: string, size: number, created: number): ImportRow => ({
  id: randomUUID(),
  file_name: fileName,
  path: null,
  changed: null,
  size,
  received: 0,
  state: size === 0 ? 'ready' : 'receiving',
  endpoint: null,
  format: null,
  column_types: null,
  position: 0,
  before_seq: null,
  bytes_read: 0,
  added: 0,
  skipped: 0,
  error_line: null,
  error_problem: null,
  created,
  started: null,
  finished: null,
});

/** What reads files is loaded when there is one to read. */
export const createImportService = (parts: RunnerParts & { folder: string; log: Log }): ImportService => {
  const { store, records, recordStore, endpoints, writer, clock, folder, log } = parts;
  const running = new Map<string, { controller: AbortController; ended: Promise<unknown> }>();
  const receiving = new Set<string>();

  const fileOf = (id: string): string => join(folder, id);

  const rowOf = (id: string): ImportRow => {
    const row = store.find(id);
    if (row === undefined) throw new Failure('not_found', 'This import is not known (any more).');
    return row;
  };

  const inState = (row: ImportRow, states: readonly ImportRow['state'][], doing: string): void => {
    if (!states.includes(row.state))
      throw new Failure('wrong_state', `An import that is ${row.state} cannot be ${doing}.`);
  };

  const dropFile = (id: string): Promise<void> => rm(fileOf(id), { force: true });

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

  const launch = (id: string): void => {
    const controller = new AbortController();
    const row = rowOf(id);
    const ended = import('./runner.ts')
      .then(({ runImport }) => runImport(parts, row, fileOf(id), controller.signal))
      .then((outcome) => (outcome === 'done' ? dropFile(id) : undefined))
      .catch(async (error: unknown) => {
        log.error({ err: error, import: id }, 'an import stopped; it can be gone on with');
        if (controller.signal.reason === 'cancelled') await recordEnd(id, 'cancelled', undefined);
        else await recordEnd(id, 'failed', error instanceof Error ? error.message : String(error));
      })
      .finally(() => running.delete(id));
    running.set(id, { controller, ended });
  };

  /** What is here now is what the file is compared with; at an empty endpoint there is nothing to compare. */
  const startWithin = (tx: Transaction, id: string, request: RunRequest): boolean =>
    store.start(tx, {
      id,
      endpoint: request.endpoint,
      format: request.format,
      column_types: columnTypesText(request),
      before_seq: heldAt(request.endpoint) === 0 ? null : records.newestSeq(),
      started: clock.now(),
    });

  const heldAt = (endpoint: string): number => endpoints.summary(endpoint)?.records ?? 0;

  /** Whether a run would do the same as the one that did not end, and what that one stored is still here. */
  const canGoOn = (row: ImportRow, request: RunRequest): boolean =>
    row.position > 0 &&
    row.endpoint === request.endpoint &&
    row.format === request.format &&
    row.column_types === columnTypesText(request) &&
    heldAt(request.endpoint) >= row.added;

  const begin = (tx: Transaction, row: ImportRow, request: RunRequest): void => {
    const begun = canGoOn(row, request) ? store.goOn(tx, row.id) : startWithin(tx, row.id, request);
    if (!begun) throw new Failure('wrong_state', 'This import is running already.');
  };

  /** The uploaded file, if it is here and whole. */
  const uploaded = (row: ImportRow): string => {
    if (row.path !== null) {
      throw new Failure('wrong_state', 'This file was imported by the command line. Run the same command again.');
    }
    if (row.received !== row.size) throw new Failure('wrong_state', 'The file of this import did not arrive whole.');
    return fileOf(row.id);
  };

  /** A file that went away under its reader, with its import or because that ended, is told as what it is. */
  const whileItIsHere = async <T>(id: string, read: () => Promise<T>): Promise<T> => {
    try {
      return await read();
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      rowOf(id);
      throw new Failure('wrong_state', 'The file of this import is not here any more.');
    }
  };

  const firstBytes = async (file: string): Promise<Buffer> => {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(GUESS_BYTES), 0, GUESS_BYTES, 0);
      return buffer.subarray(0, bytesRead);
    } finally {
      await handle.close();
    }
  };

  const makeEmpty = async (file: string): Promise<void> => {
    try {
      await (await open(file, 'w', 0o600)).close();
    } catch (error) {
      throw asDiskFailure(error);
    }
  };

  const removeAdded = async (row: ImportRow): Promise<void> => {
    const endpoint = row.endpoint === null ? undefined : endpoints.find(row.endpoint);
    const origin = endpoints.findOrigin({ kind: 'import', name: row.file_name, reference: row.id });
    if (endpoint === undefined || origin === undefined) return;
    for (let after = -1; ;) {
      const rows = recordStore.chunkOfOrigin(endpoint, after, origin, UNDO_AT_ONCE);
      const last = rows.at(-1);
      if (last === undefined) return;
      const ids = rows.map((record) => record.id);
      try {
        await records.remove(ids, () => true, { kind: 'owner', name: 'owner' });
        after = last.seq;
      } catch (error) {
        // Somebody deleted one of them meanwhile: what is left of them is looked up again.
        if (!(error instanceof Failure) || error.code !== 'data_missing') throw error;
      }
    }
  };

  const guessed = async (file: string, name: string): Promise<FormatGuess> => {
    const { guessFormat } = await import('./guess-format.ts');
    return guessFormat(await firstBytes(file), name);
  };

  const preview = async (id: string, format: ImportFormat | undefined): Promise<ImportPreview> => {
    const row = rowOf(id);
    inState(row, ['ready', 'failed', 'cancelled'], 'previewed');
    const file = uploaded(row);
    const guess = await guessed(file, row.file_name);
    const chosen = format ?? guess.format;
    const nothing = { format: chosen, reason: guess.reason, columns: [], elements: [], error: null };
    if (chosen === 'unknown') return nothing;
    const [{ previewElements }, { withoutLine }] = await Promise.all([import('./preview.ts'), import('./elements.ts')]);
    const { elements, columns, broken } = await previewElements(createReadStream(file), chosen, PREVIEW_ELEMENTS);
    return {
      format: chosen,
      reason: guess.reason,
      columns: columns.map(({ name, type, examples }) => ({ name, type, examples })),
      elements: elements.map((element) => JSON.parse(element.text) as unknown),
      error: broken === undefined ? null : { line: broken.line, problem: withoutLine(broken) },
    };
  };

  return {
    async create({ fileName, size }) {
      if (size > MAX_IMPORT_BYTES) {
        throw new Failure('too_large', `A file to import is limited to ${MAX_IMPORT_BYTES} bytes. Split it.`);
      }
      const row = newRow(basename(fileName.replaceAll('\\', '/')), size, clock.now());
      if (size === 0) await makeEmpty(fileOf(row.id));
      await writer.write((tx) => store.insert(tx, row));
      return toWire(row);
    },

    async receive(id, offset, piece) {
      const row = rowOf(id);
      inState(row, ['receiving'], 'uploaded to');
      if (receiving.has(id)) throw new Failure('wrong_state', 'Another piece of this import is arriving right now.');
      if (offset !== row.received) throw new Failure('wrong_state', `The next piece starts at ${row.received}.`);
      receiving.add(id);
      try {
        const received = await receivePiece(fileOf(id), offset, row.size, piece);
        const state = received === row.size ? 'ready' : 'receiving';
        const waited = await writer.write((tx) => store.setReceived(tx, id, received, state));
        // Cancelled or forgotten meanwhile: nobody asks for the file any more.
        if (!waited) await dropFile(id);
      } finally {
        receiving.delete(id);
      }
      return toWire(rowOf(id));
    },

    preview: (id, format) => whileItIsHere(id, () => preview(id, format)),

    async run(id, request) {
      const row = rowOf(id);
      inState(row, ['ready', 'failed', 'cancelled'], 'started');
      uploaded(row);
      await writer.write((tx) => begin(tx, rowOf(id), request));
      launch(id);
      return toWire(rowOf(id));
    },

    find: (id) => toWire(rowOf(id)),
    list: () => store.list().map(toWire),

    async cancel(id) {
      const row = rowOf(id);
      const run = running.get(id);
      if (run !== undefined) {
        run.controller.abort('cancelled');
        await run.ended;
      } else {
        inState(row, ['receiving', 'ready', 'running', 'failed'], 'cancelled');
        await writer.write((tx) => store.finish(tx, id, { state: 'cancelled', time: clock.now() }));
        if (row.state === 'receiving') await dropFile(id);
      }
      return toWire(rowOf(id));
    },

    async undo(id) {
      const row = rowOf(id);
      inState(row, ['done', 'failed', 'cancelled'], 'undone');
      await removeAdded(row);
      await writer.write((tx) => store.finish(tx, id, { state: 'undone', time: clock.now() }));
      await dropFile(id);
      return toWire(rowOf(id));
    },

    async forget(id) {
      const row = rowOf(id);
      if (row.state === 'running') throw new Failure('wrong_state', 'This import is running. Cancel it first.');
      await writer.write((tx) => store.remove(tx, id));
      await dropFile(id);
    },

    async importFile(path, endpoint, { format, onProgress, signal }) {
      const file = resolve(path);
      const { size, mtimeMs } = await stat(file);
      const changed = Math.floor(mtimeMs);
      const found = store.interrupted(file, changed, size, endpoint);
      const same = found !== undefined && (format === undefined || format === found.format) ? found : undefined;
      const chosen = same?.format ?? format ?? (await guessed(file, file)).format;
      if (chosen === 'unknown') {
        throw new Failure('invalid_input', `${path} is neither JSON, NDJSON nor CSV. Name the format.`);
      }
      const fresh = { ...newRow(basename(file), size, clock.now()), path: file, changed, received: size };
      const row = same ?? { ...fresh, state: 'ready' as const };
      await writer.write((tx) => {
        if (same !== undefined && store.goOn(tx, row.id)) return;
        store.insert(tx, row);
        startWithin(tx, row.id, { endpoint, format: chosen });
      });
      const { runImport } = await import('./runner.ts');
      await runImport(parts, rowOf(row.id), file, signal ?? new AbortController().signal, (progress) =>
        onProgress?.(progress, size),
      );
      return toWire(rowOf(row.id));
    },

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
