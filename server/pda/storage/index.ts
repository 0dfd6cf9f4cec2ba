/** The storage types that stores of other rooms may import. */
export type { Database } from './database.ts';
export type { Collector, Transaction, Writer } from './writer.ts';
export type { Storage } from './storage.ts';
export type { DatabaseThread, SqlValue } from './threads/client.ts';
