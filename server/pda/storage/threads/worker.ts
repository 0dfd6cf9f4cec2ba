import type { Database } from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, codeOf } from '../../../wire/values.ts';
import { openMaintenance, openReader, type RegisterFunctions } from '../database.ts';
import { countCalls } from './call-counter.ts';
import type { SqlValue, ThreadData, ThreadRequest, ThreadResponse } from './messages.ts';

// Worker thread with a database connection, so that long queries do not block the main thread. The client requests each
// chunk of rows. Modules of this thread must not import zod, which needs more memory than all others together.

type FunctionsModule = {
  registerQueryFunctions: RegisterFunctions;
  withReadBudget: <T>(budget: { bytes: number; ms: number }, run: () => T) => T;
  mapText: (text: string, mapping: string) => string;
};

const { file, role, functionsModule, calls, deadlineMs = Number.POSITIVE_INFINITY } = workerData as ThreadData;
const { registerQueryFunctions, withReadBudget, mapText } = (await import(functionsModule)) as FunctionsModule;
const registerCounted: RegisterFunctions = (connection) => {
  countCalls(connection, calls);
  registerQueryFunctions(connection);
};
const db: Database =
  role === 'reader' ? openReader(file, registerQueryFunctions) : openMaintenance(file, registerCounted);

const port = parentPort;
if (port === null) throw new Error('This module must run in a worker thread.');

const send = (message: ThreadResponse): void => port.postMessage(message);
const openQueries = new Map<number, { rows: IterableIterator<unknown>; chunkRows: number; ms: number }>();

const sendNextChunk = (id: number, start = performance.now()): void => {
  const query = openQueries.get(id);
  if (query === undefined) {
    // Another thread, which has ended, ran this query. Without a response, the client would wait forever.
    send({ id, error: 'The thread of this query has ended.', code: 'GONE' });
    return;
  }
  const rows: unknown[] = [];
  const addElapsed = (): number => (query.ms += performance.now() - start);
  while (rows.length < query.chunkRows) {
    const next = query.rows.next();
    if (next.done === true) {
      openQueries.delete(id);
      send({ id, rows, done: true, ms: addElapsed() });
      return;
    }
    rows.push(next.value);
  }
  send({ id, rows, done: false, ms: addElapsed() });
};

/** Maximum size of a reused buffer. Allocating a buffer per query fragments the memory. */
const BUFFER_REUSE_MAX_BYTES = 4_000_000;
/** Maximum size of a query's numbers: an entry index and a sequence number for four million records. */
const NUMBERS_MAX_BYTES = 64_000_000;
const MEMORY_CODE = 'READ_LIMIT_MEMORY';
let buffer = new Float64Array(2048);

/** Returns true if the bytes fill their buffer. Only a whole buffer can be transferred. */
const isWholeBuffer = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength;

const readContent = (
  sql: string,
  parameters: readonly SqlValue[],
  mapping: string | null,
): { content: Uint8Array<ArrayBuffer> | null; row: Record<string, SqlValue> } => {
  const result = db.prepare<SqlValue[], Record<string, SqlValue> & { data: Uint8Array }>(sql).get(...parameters);
  if (result === undefined) return { content: null, row: {} };
  const { data, ...row } = result;
  if (mapping === null && isWholeBuffer(data)) return { content: data, row };
  const content = new Uint8Array(
    mapping === null
      ? data
      : Buffer.from(mapText(Buffer.from(data.buffer, data.byteOffset, data.length).toString(), mapping)),
  );
  // Frees the memory immediately, because the garbage collector may run much later.
  if (isWholeBuffer(data)) data.buffer.transfer(0);
  return { content, row };
};

const readNumbers = (sql: string, parameters: readonly SqlValue[]): Float64Array<ArrayBuffer> => {
  let length = 0;
  for (const row of db
    .prepare<SqlValue[], number[]>(sql)
    .raw()
    .iterate(...parameters)) {
    if ((length + row.length) * buffer.BYTES_PER_ELEMENT > NUMBERS_MAX_BYTES)
      throw Object.assign(new Error('The read matches too many records.'), { code: MEMORY_CODE });
    if (length + row.length > buffer.length) buffer = new Float64Array(buffer.buffer.transfer(buffer.byteLength * 2));
    buffer.set(row, length);
    length += row.length;
  }
  const numbers = buffer.slice(0, length);
  if (buffer.byteLength > BUFFER_REUSE_MAX_BYTES)
    buffer = new Float64Array(buffer.buffer.transfer(BUFFER_REUSE_MAX_BYTES));
  return numbers;
};

const handleRequest = (message: ThreadRequest): void => {
  switch (message.op) {
    case 'numbers': {
      const start = performance.now();
      const numbers = readNumbers(message.sql, message.parameters);
      const ms = performance.now() - start;
      port.postMessage({ id: message.id, numbers, ms } satisfies ThreadResponse, [numbers.buffer]);
      return;
    }
    case 'content': {
      const { content, row } = readContent(message.sql, message.parameters, message.mapping);
      const response = { id: message.id, content, row } satisfies ThreadResponse;
      port.postMessage(response, content === null ? [] : [content.buffer]);
      return;
    }
    case 'rows': {
      const start = performance.now();
      const rows = db.prepare(message.sql).iterate(...message.parameters);
      openQueries.set(message.id, { rows, chunkRows: message.chunkRows, ms: 0 });
      sendNextChunk(message.id, start);
      return;
    }
    case 'more':
      sendNextChunk(message.id);
      return;
    case 'stop':
      openQueries.get(message.id)?.rows.return?.();
      openQueries.delete(message.id);
      return;
    case 'exec':
      db.exec(message.sql);
      send({ id: message.id, rows: [], done: true, ms: 0 });
      return;
    case 'close':
      // A connection with an open query cannot be closed.
      for (const { rows } of openQueries.values()) rows.return?.();
      openQueries.clear();
      db.close();
      port.close();
  }
};

/**
 * Maximum number of attempts per request. SQLite gives up with SQLITE_SCHEMA if the schema changes twice while it
 * connects the full-text indexes of a statement, for example while the index manager drops several indexes. SQLite
 * itself makes as many attempts per step.
 */
const SCHEMA_MAX_ATTEMPTS = 50;

/**
 * Handles a request, and repeats it if the schema changed in the meantime. A repetition sends no row twice, because
 * SQLite notices a changed schema before it reads the first row.
 */
const handleWithRetry = (message: ThreadRequest): void => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      handleRequest(message);
      return;
    } catch (error) {
      if (codeOf(error) !== 'SQLITE_SCHEMA' || attempt === SCHEMA_MAX_ATTEMPTS) throw error;
    }
  }
};

/**
 * Bytes of heap above which the client replaces the thread: the garbage collector returns little of it to the system.
 */
const HEAP_REPLACE_BYTES = 32_000_000;

port.on('message', (message: ThreadRequest) => {
  try {
    withReadBudget({ bytes: Number.POSITIVE_INFINITY, ms: deadlineMs }, () => handleWithRetry(message));
  } catch (error) {
    openQueries.get(message.id)?.rows.return?.();
    openQueries.delete(message.id);
    send({ id: message.id, error: messageOf(error), code: codeOf(error) });
  }
  if (message.op !== 'close' && openQueries.size === 0 && process.memoryUsage().heapTotal > HEAP_REPLACE_BYTES)
    send({ id: message.id, isLarge: true });
});
