import type { Kysely, Transaction } from 'kysely';
import type { Clock } from '../../platform/clock.ts';
import { createAuditLog, type AuditLog } from '../../platform/postgres/audit-log.ts';
import { openPostgres, type DatabaseOptions, type Migration, type Postgres } from '../../platform/postgres/database.ts';
import { ACCOUNTS } from './migrations/0001-accounts.ts';
import { PDAS } from './migrations/0002-pdas.ts';
import { PLUGS } from './migrations/0003-plugs.ts';
import { APPLICATIONS } from './migrations/0004-applications.ts';
import { OFFERS } from './migrations/0005-offers.ts';
import { STATISTICS } from './migrations/0006-statistics.ts';
import { AUDIT } from './migrations/0007-audit.ts';
import type { Tables } from './tables.ts';

/** Run in this order. A released migration never changes. */
const MIGRATIONS: readonly Migration[] = [ACCOUNTS, PDAS, PLUGS, APPLICATIONS, OFFERS, STATISTICS, AUDIT];

export { isSerializationFailure, isUniqueViolation } from '../../platform/postgres/errors.ts';
export type Database = Postgres<Tables>;
/** A connection or an open transaction. */
export type Db = Kysely<Tables>;
export type Tx = Transaction<Tables>;

/** Opens the database and runs pending migrations. @throws Failure unavailable | invalid_input | wrong_state */
export const openDatabase = (options: DatabaseOptions): Promise<Database> =>
  openPostgres<Tables>({ ...options, migrations: MIGRATIONS });

export type Audit = AuditLog<Tx>;
export const openAudit = (parts: { database: Database; clock: Clock }): Audit => createAuditLog<Tx>(parts);
