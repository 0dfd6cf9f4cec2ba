import type { CallCounter } from './call-counter.ts';

// Messages between the main thread and the database threads.

export type SqlValue = string | number | null | bigint | Uint8Array;

/** `functionsModule`: URL of the module with the SQL functions. */
export type ThreadData = {
  calls: CallCounter;
  file: string;
  role: 'reader' | 'maintenance';
  functionsModule: string;
  /** Milliseconds that one request may take, without the time in the queue; undefined: no limit. */
  deadlineMs?: number | undefined;
};

export type ThreadRequest =
  | { id: number; op: 'rows'; sql: string; parameters: readonly SqlValue[]; chunkRows: number }
  | { id: number; op: 'numbers'; sql: string; parameters: readonly SqlValue[] }
  | { id: number; op: 'content'; sql: string; parameters: readonly SqlValue[]; mapping: string | null }
  | { id: number; op: 'more' }
  | { id: number; op: 'stop' }
  | { id: number; op: 'exec'; sql: string }
  | { id: number; op: 'close' };

export type ThreadResponse =
  /** `ms`: milliseconds of work so far, without the time in the queue. */
  | { id: number; rows: unknown[]; done: boolean; ms: number }
  | { id: number; numbers: Float64Array<ArrayBuffer>; ms: number }
  | { id: number; content: Uint8Array<ArrayBuffer> | null; row: Record<string, SqlValue> }
  /** Sent after a response if the heap of the thread has become large. The client then replaces the thread. */
  | { id: number; isLarge: true }
  | { id: number; error: string; code: string };
