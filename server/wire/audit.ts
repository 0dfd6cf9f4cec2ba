import { z } from 'zod';
import { unixMs } from './common.ts';

/** `GET /api/audit`, administrators. */
export const auditEntrySchema = z
  .strictObject({
    id: z.uuid(),
    time: unixMs,
    who: z.string().meta({ description: 'Name of an account, address of a PDA, or `command line`' }),
    what: z.string().meta({ description: 'Stable name of the action, e.g. `offer.approved`' }),
    subject: z.string().meta({ description: 'Target of the action' }),
    detail: z.string(),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.infer<typeof auditEntrySchema>;
