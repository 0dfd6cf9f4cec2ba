import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { createAuditLog, type AuditLog } from '../../platform/postgres/audit-log.ts';
import { openPostgres, type DatabaseOptions, type Migration, type Postgres } from '../../platform/postgres/database.ts';
import { CONTRACTS } from './migrations/0001-contracts.ts';
import { MEMBERS } from './migrations/0002-members.ts';
import { AUDIT } from './migrations/0003-audit.ts';
import type { Tables } from './tables.ts';

/** Run in this order. A released migration never changes. */
const MIGRATIONS: readonly Migration[] = [CONTRACTS, MEMBERS, AUDIT];

export type Database = Postgres<Tables>;
/** A connection or an open transaction. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

export const openDatabase = (options: DatabaseOptions): Promise<Database> =>
  openPostgres<Tables>({ ...options, migrations: MIGRATIONS });

/** Accepts `Db` and `Tx`, because keyring reads are recorded outside of transactions. */
export type Audit = AuditLog<Db>;
export const openAudit = (parts: { database: Database; clock: Clock }): Audit => createAuditLog<Db>(parts);
