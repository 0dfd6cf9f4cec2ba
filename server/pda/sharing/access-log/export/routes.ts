import { z } from 'zod';
import { ownerOnly, publicAccess } from '../../../../platform/auth/principal.ts';
import { contentDisposition } from '../../../../platform/http/response/content-disposition.ts';
import { json, route } from '../../../../platform/http/route.ts';
import { exportTicketSchema } from '../../../../wire/imports.ts';
import { ledgerExportRequestSchema } from '../../../../wire/ledger.ts';
import type { LedgerExports } from './service.ts';

const TAG = 'Access log';

export const ledgerExportRoutes = (parts: { exports: LedgerExports; flushRefusals: () => Promise<void> }) => {
  const { exports, flushRefusals } = parts;
  return [
    route({
      method: 'POST',
      path: '/api/v2.6/owner/ledger-exports',
      tag: TAG,
      summary: 'Create a download URL for entries of the access log',
      access: ownerOnly,
      body: { as: 'json', schema: ledgerExportRequestSchema },
      responses: { 201: { description: 'Valid for one download within a minute', schema: exportTicketSchema } },
      ownerDecision: true,
      handler: async ({ body, caller: { principal } }) => {
        await flushRefusals();
        const ticket = exports.issueTicket(body.filter, body.format, principal);
        return json(201, { url: `/api/v2.6/owner/ledger-exports/${ticket}` });
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/ledger-exports/:ticket',
      tag: TAG,
      summary: 'Download entries of the access log',
      description:
        'The ticket in the URL is the permission. When the session that created it ends, the ticket expires and a ' +
        'running download stops.',
      access: publicAccess,
      params: z.strictObject({ ticket: z.string().max(100) }),
      responses: {
        200: {
          description: 'JSON: an array of entries. CSV: a table with a header row. Newest first',
          contentType: 'application/octet-stream',
        },
      },
      errors: ['not_found'],
      handler: ({ params, caller }) => {
        // A HEAD request does not redeem the ticket.
        const { stream, format } = exports.download(caller.headersOnly ? '' : params.ticket);
        return {
          status: 200,
          stream,
          contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json; charset=utf-8',
          headers: { 'content-disposition': contentDisposition(`access-history.${format}`) },
        };
      },
    }),
  ] as const;
};
