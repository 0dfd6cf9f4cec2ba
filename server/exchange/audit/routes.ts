import { z } from 'zod';
import { json, route } from '../../platform/http/route.ts';
import { withRole } from '../../platform/service/authorization.ts';
import { wholeNumber } from '../../wire/common.ts';
import { auditEntrySchema } from '../../wire/audit.ts';
import type { Audit } from '../storage/index.ts';

export const auditRoutes = ({ audit }: { audit: Audit }) =>
  [
    route({
      method: 'GET',
      path: '/api/audit',
      tag: 'Audit',
      summary: 'List the audit log, newest first',
      description: '`before` is the id of the last entry of the previous page.',
      access: withRole('administrator'),
      query: z.object({ before: z.uuid().optional(), take: wholeNumber.pipe(z.int().min(1).max(1000)).default(100) }),
      responses: { 200: { description: 'Entries', schema: z.array(auditEntrySchema) } },
      handler: async ({ query }) => json(200, await audit.list(query)),
    }),
  ] as const;
