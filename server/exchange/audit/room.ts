import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../storage/index.ts';
import { auditRoutes } from './routes.ts';
import { createAuditService } from './service.ts';

export const createAuditRoom = (parts: { database: Database; clock: Clock }) => {
  const audit = createAuditService(parts);
  return { audit, routes: auditRoutes({ audit }) };
};
