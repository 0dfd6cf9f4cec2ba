import { AUDIT_TABLE } from '../../../platform/postgres/audit-log.ts';
import type { Migration } from '../../../platform/postgres/database.ts';

export const AUDIT: Migration = { name: '0003-audit', sql: AUDIT_TABLE };
