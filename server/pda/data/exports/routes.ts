import { z } from 'zod';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { contentDisposition } from '../../../platform/http/response/content-disposition.ts';
import { json, route } from '../../../platform/http/route.ts';
import { exportRequestSchema, exportTicketSchema } from '../../../wire/imports.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { ExportService } from './service.ts';

const TAG = 'Import and export';
const CONTENT_TYPES = { csv: 'text/csv', json: 'application/json', ndjson: 'application/x-ndjson' } as const;

export const exportRoutes = ({ exports }: { exports: ExportService }) =>
  [
    route({
      method: 'POST',
      path: '/api/v2.6/owner/exports',
      tag: TAG,
      summary: 'Create a download URL for all or some records of an endpoint',
      access: ownerOnly,
      body: { as: 'json', schema: exportRequestSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: { description: 'Valid for one download within a minute', schema: exportTicketSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      ownerDecision: true,
      handler: async ({ body, caller: { principal, trace } }) => {
        const ticket = await exports.issueTicket(body, principal);
        trace.records.set(body.endpoint, []);
        return json(201, { url: `/api/v2.6/owner/exports/${ticket}` });
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/exports/:ticket',
      tag: TAG,
      summary: 'Download an export',
      description:
        'The ticket in the URL grants access. It expires with the session that requested it, and a running download is then aborted.',
      access: publicAccess,
      params: z.strictObject({ ticket: z.string().max(100) }),
      responses: {
        200: {
          description: 'NDJSON: one record per line. JSON: an array. CSV: a table with a header row',
          contentType: '*/*',
        },
      },
      errors: ['not_found'],
      handler: ({ params, caller }) => {
        // A HEAD request does not redeem the ticket.
        const { stream, endpoint, format } = exports.download(caller.headersOnly ? '' : params.ticket);
        const name = endpoint.replaceAll('/', '-');
        return {
          status: 200,
          stream,
          contentType: `${CONTENT_TYPES[format]}; charset=utf-8`,
          headers: { 'content-disposition': contentDisposition(`${name}.${format}`) },
        };
      },
    }),
  ] as const;
