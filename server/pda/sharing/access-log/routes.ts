import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import { ledgerDaySchema, ledgerPageSchema, ledgerQuery, ledgerRecordsSchema } from '../../../wire/ledger.ts';
import type { LedgerService } from './service.ts';

const TAG = 'Ledger';
const MAX_DAYS = 400;
const MAX_RECORDS = 1000;

const number = (digits: number, fallback: string, check: (value: number) => number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`, 'u'), 'a whole number')
    .default(fallback)
    .transform((text) => check(Number(text)));

/** Who got at the data, or tried to. */
export const ledgerRoutes = (parts: { ledger: LedgerService; settle: () => Promise<void> }) => {
  const { ledger, settle } = parts;
  return [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/ledger',
      tag: TAG,
      summary: 'Who got at the data, or tried to',
      description:
        'Newest first. Every given condition must hold. A record is found in each call whose answer held it, or that wrote or deleted it; ' +
        '`next` of a page is `before` of the following one.',
      access: ownerOnly,
      query: ledgerQuery,
      responses: { 200: { description: 'A page', schema: ledgerPageSchema } },
      handler: async ({ query }) => {
        await settle();
        return json(200, await ledger.list(query));
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/ledger/:row/records',
      tag: TAG,
      summary: 'The records of one call',
      description: 'Each once, those first that this ledger met first.',
      access: ownerOnly,
      params: z.strictObject({ row: z.string().regex(/^\d{1,15}$/u, 'a whole number') }),
      query: z.object({
        skip: number(9, '0', (value) => value),
        take: number(4, '100', (value) => Math.min(value, MAX_RECORDS)),
      }),
      responses: { 200: { description: 'Ids, and whether they are still here', schema: ledgerRecordsSchema } },
      errors: ['not_found'],
      handler: ({ params, query }) => json(200, ledger.records(Number(params.row), query)),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/ledger-days',
      tag: TAG,
      summary: 'Who called how often, day by day',
      access: ownerOnly,
      query: z.object({ days: number(3, '30', (value) => Math.min(MAX_DAYS, Math.max(1, value))) }),
      responses: { 200: { description: 'Days with calls, oldest first, in UTC', schema: z.array(ledgerDaySchema) } },
      handler: async ({ query }) => {
        await settle();
        return json(200, ledger.days(query.days));
      },
    }),
  ] as const;
};
