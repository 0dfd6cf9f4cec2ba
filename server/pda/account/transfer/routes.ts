import { z } from 'zod';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { contentDisposition } from '../../../platform/http/response/content-disposition.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import {
  formerKeysSchema,
  MAX_ARCHIVE_CHUNK_BYTES,
  moveArchiveSchema,
  moveExportRequestSchema,
  moveSchema,
  moveTicketSchema,
} from '../../../wire/move.ts';
import type { TransferService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Move', access: ownerOnly });
const publicRoute = createRouteDeclarer({ tag: 'Move', access: publicAccess });
const PATH = '/api/v2.6/owner/move';

/** Routes for exporting and importing an account, and the public list of a moved account's keys. */
export const transferRoutes = (transfer: TransferService) => {
  const statusResponses = { 200: { description: 'Current status', schema: moveSchema } };
  const startedResponses = {
    202: { description: 'Started; a live event of the topic `moves` reports the end', schema: moveSchema },
  };
  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'Get the status of exports and imports, and the origin of this account',
      responses: statusResponses,
      handler: async () => json(200, transfer.view()),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/exports`,
      summary: 'Create a download address for the whole account',
      description:
        'Requires the password. The archive contains no secrets and no settings of the installation; docs/archive-format.md lists its content.',
      body: { as: 'json', schema: moveExportRequestSchema },
      responses: { 201: { description: 'Valid for one download within a minute', schema: moveTicketSchema } },
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => {
        const ticket = await transfer.issueTicket(body.password, caller, caller.principal);
        return json(201, { url: `${PATH}/exports/${ticket}` });
      },
    }),
    publicRoute({
      method: 'GET',
      path: `${PATH}/exports/:ticket`,
      summary: 'Download the whole account',
      description:
        'The ticket in the address authorises the download. The archive is created during the download and contains the account as it was when the download started. ' +
        'Files that change during the download are included with their newer content.',
      params: z.strictObject({ ticket: z.string().max(100) }),
      responses: { 200: { description: 'A zip file', contentType: 'application/zip' } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => {
        const { stream, name } = transfer.download(caller.headersOnly ? '' : params.ticket);
        return {
          status: 200,
          stream,
          contentType: 'application/zip',
          headers: { 'content-disposition': contentDisposition(name) },
        };
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/archive`,
      summary: 'Announce an archive to import',
      description: 'Requires an account that is set up and empty. The same name and size resume an interrupted upload.',
      body: { as: 'json', schema: moveArchiveSchema },
      responses: statusResponses,
      errors: ['wrong_state'],
      handler: async ({ body }) => json(200, transfer.begin(body)),
    }),
    ownerRoute({
      method: 'PUT',
      path: `${PATH}/archive/content`,
      summary: 'Upload the next chunk of the archive',
      description:
        '`offset` is the end of the previous chunk (`received`). A complete archive is checked, but not imported yet.',
      query: z.object({
        offset: z
          .string()
          .regex(/^\d{1,15}$/u)
          .transform(Number),
      }),
      body: { as: 'bytes', maxBytes: MAX_ARCHIVE_CHUNK_BYTES, contentType: 'application/octet-stream' },
      responses: statusResponses,
      errors: ['wrong_state'],
      handler: async ({ query, body }) => json(200, await transfer.receive(query.offset, body)),
    }),
    ownerRoute({
      method: 'DELETE',
      path: `${PATH}/archive`,
      summary: 'Delete the uploaded archive',
      responses: statusResponses,
      errors: ['wrong_state'],
      handler: async () => json(200, transfer.discardUpload()),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/check`,
      summary: 'Check the archive again',
      responses: startedResponses,
      errors: ['wrong_state'],
      handler: async () => json(202, transfer.check()),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/import`,
      summary: 'Import the archive',
      description:
        'Imports everything or nothing. The server then restarts with the imported account. Sign in again with the name and password that were valid before the import. ' +
        'The imported account is unreachable and sends nothing until the owner activates it.',
      responses: startedResponses,
      errors: ['wrong_state'],
      handler: async () => json(202, transfer.importNow()),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/settle`,
      summary: 'Activate the imported account',
      description:
        'The account rejoins its contracts, reports its address to the exchange, runs functions and sends webhooks. ' +
        'Its public address opens again if it was open before the import.',
      responses: statusResponses,
      errors: ['wrong_state'],
      handler: async ({ caller }) => json(200, await transfer.settle(caller)),
    }),
    publicRoute({
      method: 'GET',
      path: '/.well-known/former-keys.json',
      summary: 'List the former signing keys of this account',
      description:
        'Public keys that the account used before it was moved here. They only verify earlier signatures; tokens signed with them are not accepted.',
      responses: { 200: { description: 'Public keys', schema: formerKeysSchema } },
      handler: async () => json(200, { keys: transfer.formerKeys() }),
    }),
  ] as const;
};
