import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { isoTime } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import type { Log } from '../../platform/log.ts';
import type { ImportJob, ImportPreview } from '../../wire/owner.ts';
import { guessFormat } from './guess-format.ts';
import type { ImportFormat } from './elements.ts';
import { previewElements } from './preview.ts';
import { runImport, type RunnerParts } from './runner.ts';
import type { ImportRow, Progress } from './store.ts';

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

  const launch = (id: string): void => {
    const controller = new AbortController();
    const ended = runImport(parts, rowOf(id), fileOf(id), controller.signal)
      .then((outcome) => (outcome === 'done' ? dropFile(id) : undefined))
      .catch((error: unknown) =>
        log.error({ err: error, import: id }, 'an import stopped; it goes on at the next start'),
      )
      .finally(() => running.delete(id));
    running.set(id, { controller, ended });
  };

  const begin = async (row: ImportRow, request: RunRequest): Promise<void> => {
    const held = endpoints.summary(request.endpoint)?.records ?? 0;
    await writer.write((tx) =>
      store.start(tx, {
        id: row.id,
        endpoint: request.endpoint,
        format: request.format,
        column_types: request.columnTypes === undefined ? null : JSON.stringify(request.columnTypes),
        // What is here now is what the file is compared with; at an empty endpoint there is nothing to compare.
        before_seq: held === 0 ? null : records.newestSeq(),
        started: clock.now(),
      }),
    );
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

  const removeAdded = async (row: ImportRow): Promise<void> => {
    const endpoint = row.endpoint === null ? undefined : endpoints.find(row.endpoint);
    const origin = endpoints.findOrigin({ kind: 'import', name: row.file_name, reference: row.id });
    if (endpoint === undefined || origin === undefined) return;
    for (let after = -1; ;) {
      const rows = recordStore.chunkOfOrigin(endpoint, after, origin, UNDO_AT_ONCE);
      const last = rows.at(-1);
      if (last === undefined) return;
      await records.remove(
        rows.map((record) => record.id),
        () => true,
        { kind: 'owner', name: 'owner' },
      );
      after = last.seq;
    }
  };

  return {
    async create({ fileName, size }) {
      const row = newRow(basename(fileName.replaceAll('\\', '/')), size, clock.now());
      if (size === 0) await (await open(fileOf(row.id), 'w', 0o600)).close();
      await writer.write((tx) => store.insert(tx, row));
      return toWire(row);
    },

    async receive(id, offset, piece) {
      const row = rowOf(id);
      inState(row, ['receiving'], 'uploaded to');
      if (receiving.has(id)) throw new Failure('wrong_state', 'Another piece of this import is arriving right now.');
      if (offset !== row.received) throw new Failure('wrong_state', `The next piece starts at ${row.received}.`);
      receiving.add(id);
      let received = offset;
      try {
        const handle = await open(fileOf(id), offset === 0 ? 'w' : 'r+', 0o600);
        try {
          for await (const chunk of piece as AsyncIterable<Buffer>) {
            if (received + chunk.length > row.size)
              throw new Failure('invalid_input', 'The file is longer than was announced.');
            await handle.write(chunk, 0, chunk.length, received);
            received += chunk.length;
          }
        } catch (error) {
          if (error instanceof Error && 'code' in error && error.code === 'ENOSPC')
            throw new Failure('out_of_disk', 'There is no room left on the disk.');
          // A line that broke keeps what arrived: the next piece goes on from there.
          if (error instanceof Failure || received === offset) throw error;
        } finally {
          await handle.sync();
          await handle.close();
        }
        await writer.write((tx) => store.setReceived(tx, id, received, received === row.size ? 'ready' : 'receiving'));
      } finally {
        receiving.delete(id);
      }
      return toWire(rowOf(id));
    },

    async preview(id, format) {
      const row = rowOf(id);
      inState(row, ['ready', 'failed', 'cancelled'], 'previewed');
      const guess = guessFormat(await firstBytes(fileOf(id)), row.file_name);
      const chosen = format ?? guess.format;
      const nothing = { format: chosen, reason: guess.reason, columns: [], elements: [], error: null };
      if (chosen === 'unknown') return nothing;
      const { elements, columns, broken } = await previewElements(
        createReadStream(fileOf(id)),
        chosen,
        PREVIEW_ELEMENTS,
      );
      return {
        format: chosen,
        reason: guess.reason,
        columns: columns.map(({ name, type, examples }) => ({ name, type, examples })),
        elements: elements.map((element) => JSON.parse(element.text) as unknown),
        error: broken === undefined ? null : { line: broken.line, problem: broken.message },
      };
    },

    async run(id, request) {
      const row = rowOf(id);
      inState(row, ['ready', 'failed', 'cancelled'], 'started');
      await begin(row, request);
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
      let row = store.interrupted(file, changed, size, endpoint);
      if (row === undefined) {
        const chosen = format ?? guessFormat(await firstBytes(file), file).format;
        if (chosen === 'unknown')
          throw new Failure('invalid_input', `${path} is neither JSON, NDJSON nor CSV. Name the format.`);
        row = { ...newRow(basename(file), size, clock.now()), path: file, changed, received: size, state: 'ready' };
        const made = row;
        await writer.write((tx) => store.insert(tx, made));
        await begin(made, { endpoint, format: chosen });
      }
      await runImport(parts, rowOf(row.id), file, signal ?? new AbortController().signal, (progress) =>
        onProgress?.(progress, size),
      );
      return toWire(rowOf(row.id));
    },

    resume() {
      for (const row of store.inState('running')) if (row.path === null) launch(row.id);
    },

    async close() {
      for (const { controller } of running.values()) controller.abort('stopping');
      await Promise.all([...running.values()].map((run) => run.ended));
    },
  };
};
