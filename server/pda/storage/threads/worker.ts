import type { Database } from 'better-sqlite3';
import { parentPort, workerData } from 'node:worker_threads';
import { messageOf, codeOf } from '../../../wire/values.ts';
import { openMaintenance, openReader, type RegisterFunctions } from '../database.ts';
import type { FromThread, SqlValue, ThreadData, ToThread } from './messages.ts';

/**
 * A thread with a connection of its own. A query that looks at a whole endpoint takes as long as it takes; here it holds
 * nobody up. Rows go over in chunks, and the next chunk is read when the last one was taken. Each thread loads its modules for itself: none
 * of them may lead to zod, which costs more memory than all the rest.
 */

type FunctionsModule = {
  registerQueryFunctions: RegisterFunctions;
  withReadBudget: <T>(budget: { bytes: number; ms: number }, run: () => T) => T;
  mapText: (text: string, mapping: string) => string;
};

const { file, role, functionsModule, deadlineMs = Number.POSITIVE_INFINITY } = workerData as ThreadData;
const { registerQueryFunctions, withReadBudget, mapText } = (await import(functionsModule)) as FunctionsModule;
const db: Database =
  role === 'reader' ? openReader(file, registerQueryFunctions) : openMaintenance(file, registerQueryFunctions);

const port = parentPort;
if (port === null) throw new Error('this runs as a thread');

const say = (message: FromThread): void => port.postMessage(message);
const running = new Map<number, { rows: IterableIterator<unknown>; chunk: number; ms: number }>();

const nextChunk = (id: number, start = performance.now()): void => {
  const query = running.get(id);
  if (query === undefined) {
    // Asked of a thread that took the place of one that died: without an answer the asker would wait for ever.
    say({ id, error: 'the query is gone', code: 'GONE' });
    return;
  }
  const rows: unknown[] = [];
  const worked = (): number => (query.ms += performance.now() - start);
  while (rows.length < query.chunk) {
    const next = query.rows.next();
    if (next.done === true) {
      running.delete(id);
      say({ id, rows, done: true, ms: worked() });
      return;
    }
    rows.push(next.value);
  }
  say({ id, rows, done: false, ms: worked() });
};

/** Bytes that stay for the next query. Memory that is taken anew each time lies about in pieces long after it was given back. */
const KEPT_BYTES = 4_000_000;
/** Bytes of the numbers of one query: four million records, of each the entry and the sequence number. */
const NUMBERS_BYTES_MAX = 64_000_000;
const MEMORY_CODE = 'READ_LIMIT_MEMORY';
let packed = new Float64Array(2048);

/** Whether nothing else lies in the memory of these bytes, so that it can be handed over. */
const isWholeBuffer = (bytes: Uint8Array): bytes is Uint8Array<ArrayBuffer> =>
  bytes.buffer instanceof ArrayBuffer && bytes.length === bytes.buffer.byteLength;

/** The `data` of one row as UTF-8, mapped or as it is, and its other columns. */
const contentOf = (
  sql: string,
  parameters: readonly SqlValue[],
  mapping: string | null,
): { content: Uint8Array<ArrayBuffer> | null; row: Record<string, SqlValue> } => {
  const found = db.prepare<SqlValue[], Record<string, SqlValue> & { data: Uint8Array }>(sql).get(...parameters);
  if (found === undefined) return { content: null, row: {} };
  const { data, ...row } = found;
  if (mapping === null && isWholeBuffer(data)) return { content: data, row };
  const content = new Uint8Array(
    mapping === null
      ? data
      : Buffer.from(mapText(Buffer.from(data.buffer, data.byteOffset, data.length).toString(), mapping)),
  );
  // At once: the collector sees how small the object is, not the megabytes behind it.
  if (isWholeBuffer(data)) data.buffer.transfer(0);
  return { content, row };
};

/** All columns of all rows, one after the other, as plain numbers. */
const numbersOf = (sql: string, parameters: readonly SqlValue[]): Float64Array<ArrayBuffer> => {
  let length = 0;
  for (const row of db
    .prepare<SqlValue[], number[]>(sql)
    .raw()
    .iterate(...parameters)) {
    if ((length + row.length) * packed.BYTES_PER_ELEMENT > NUMBERS_BYTES_MAX)
      throw Object.assign(new Error('the read finds too many records'), { code: MEMORY_CODE });
    if (length + row.length > packed.length) packed = new Float64Array(packed.buffer.transfer(packed.byteLength * 2));
    packed.set(row, length);
    length += row.length;
  }
  const numbers = packed.slice(0, length);
  if (packed.byteLength > KEPT_BYTES) packed = new Float64Array(packed.buffer.transfer(KEPT_BYTES));
  return numbers;
};

const run = (message: ToThread): void => {
  switch (message.op) {
    case 'numbers': {
      const start = performance.now();
      const numbers = numbersOf(message.sql, message.parameters);
      const ms = performance.now() - start;
      port.postMessage({ id: message.id, numbers, ms } satisfies FromThread, [numbers.buffer]);
      return;
    }
    case 'content': {
      const { content, row } = contentOf(message.sql, message.parameters, message.mapping);
      const reply = { id: message.id, content, row } satisfies FromThread;
      port.postMessage(reply, content === null ? [] : [content.buffer]);
      return;
    }
    case 'rows': {
      const start = performance.now();
      const rows = db.prepare(message.sql).iterate(...message.parameters);
      running.set(message.id, { rows, chunk: message.chunk, ms: 0 });
      nextChunk(message.id, start);
      return;
    }
    case 'more':
      nextChunk(message.id);
      return;
    case 'stop':
      running.get(message.id)?.rows.return?.();
      running.delete(message.id);
      return;
    case 'exec':
      db.exec(message.sql);
      say({ id: message.id, rows: [], done: true, ms: 0 });
      return;
    case 'close':
      // A connection with an open query cannot be closed.
      for (const { rows } of running.values()) rows.return?.();
      running.clear();
      db.close();
      port.close();
  }
};

/** Bytes of JavaScript heap past which the thread is better replaced: the collector gives little of it back, and late. */
const HEAP_BYTES_KEPT = 32_000_000;

port.on('message', (message: ToThread) => {
  try {
    withReadBudget({ bytes: Number.POSITIVE_INFINITY, ms: deadlineMs }, () => run(message));
  } catch (error) {
    running.get(message.id)?.rows.return?.();
    running.delete(message.id);
    const code = codeOf(error);
    say({ id: message.id, error: messageOf(error), code });
  }
  if (message.op !== 'close' && running.size === 0 && process.memoryUsage().heapTotal > HEAP_BYTES_KEPT)
    say({ id: message.id, isLarge: true });
});
