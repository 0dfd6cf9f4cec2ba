import { z } from 'zod';
import { unixMs } from './common.ts';

/** `GET /api/audit`, administrators. */
export const auditEntrySchema = z
  .strictObject({
    id: z.uuid(),
    time: unixMs,
    who: z.string().meta({ description: 'Name of an account, address of a PDA, or `command line`' }),
    what: z.string().meta({ description: 'Stable name of what was done, e.g. `offer.approved`' }),
    subject: z.string().meta({ description: 'What it was done to' }),
    detail: z.string(),
  })
  .meta({ id: 'AuditEntry' });

export type AuditEntry = z.infer<typeof auditEntrySchema>;
