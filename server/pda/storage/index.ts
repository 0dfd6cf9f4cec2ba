/** What the rooms' stores may use of the storage. */
export type { Database } from './database.ts';
export type { Collector, Transaction, Writer } from './writer.ts';
export type { Storage } from './storage.ts';
export type { DatabaseThread, SqlValue } from './threads/client.ts';
