/** Types of the storage layer that other modules may import. */
export type { Database } from './database.ts';
export type { Collector, Transaction, Writer } from './writer.ts';
export type { Storage } from './storage.ts';
export type { DatabaseThread, SqlValue } from './threads/client.ts';
