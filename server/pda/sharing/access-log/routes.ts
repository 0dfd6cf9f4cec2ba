import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import {
  ledgerDaySchema,
  ledgerGroupPageSchema,
  ledgerGroupQuery,
  ledgerPageSchema,
  ledgerQuery,
  ledgerRecordsSchema,
} from '../../../wire/ledger.ts';
import type { AccessLogService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Access log', access: ownerOnly });
const MAX_DAYS = 400;
const MAX_RECORDS_PER_PAGE = 1000;

const integerParam = (digits: number, fallback: string, clamp: (value: number) => number) =>
  z
    .string()
    .regex(new RegExp(`^\\d{1,${digits}}$`, 'u'), 'must be a whole number')
    .default(fallback)
    .transform((text) => clamp(Number(text)));

export const ledgerRoutes = (parts: { ledger: AccessLogService; flushRefusals: () => Promise<void> }) => {
  const { ledger, flushRefusals } = parts;
  return [
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/ledger',
      summary: 'List access log entries, newest first',
      description:
        'All conditions must match. `record` matches requests that returned, wrote or deleted the record. ' +
        'Pass `next` of a page as `before` to get the following page.',
      query: ledgerQuery,
      responses: { 200: { description: 'A page', schema: ledgerPageSchema } },
      handler: async ({ query }) => {
        await flushRefusals();
        return json(200, await ledger.list(query));
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/ledger-groups',
      summary: 'List access log entries, newest first, with alike entries of one day grouped',
      description:
        'Entries are alike if principal, action, error code, consent and endpoints are equal. ' +
        'Pass `next` of a page as `before` to get the following page. ' +
        'The entries of a group are those of `/owner/ledger` with `alike`, `after` and `before`.',
      query: ledgerGroupQuery,
      responses: { 200: { description: 'A page', schema: ledgerGroupPageSchema } },
      handler: async ({ query }) => {
        await flushRefusals();
        return json(200, await ledger.groups(query));
      },
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/ledger/:row/records',
      summary: 'List the records of an access log entry',
      description: 'Each record once, in the order of first appearance in the access log.',
      params: z.strictObject({ row: z.string().regex(/^\d{1,15}$/u, 'must be a whole number') }),
      query: z.object({
        skip: integerParam(9, '0', (value) => value),
        take: integerParam(4, '100', (value) => Math.min(value, MAX_RECORDS_PER_PAGE)),
      }),
      responses: {
        200: { description: 'Record ids, and whether each record still exists', schema: ledgerRecordsSchema },
      },
      errors: ['not_found'],
      handler: ({ params, query }) => json(200, ledger.records(Number(params.row), query)),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/ledger-days',
      summary: 'Count requests per principal and day',
      query: z.object({ days: integerParam(3, '30', (value) => Math.min(MAX_DAYS, Math.max(1, value))) }),
      responses: { 200: { description: 'Days (UTC) with requests, oldest first', schema: z.array(ledgerDaySchema) } },
      handler: async ({ query }) => {
        await flushRefusals();
        return json(200, ledger.days(query.days));
      },
    }),
  ] as const;
};
