import { z } from 'zod';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import {
  formerKeysSchema,
  MAX_ARCHIVE_CHUNK_BYTES,
  moveArchiveSchema,
  moveExportRequestSchema,
  moveSchema,
  moveTicketSchema,
} from '../../../wire/move.ts';
import type { MoveService } from './service.ts';

const TAG = 'Move';
const PATH = '/api/v2.6/owner/move';

/** Routes for exporting and importing an account, and the public list of a moved account's keys. */
export const moveRoutes = (move: MoveService) => {
  const statusResponses = { 200: { description: 'Current status', schema: moveSchema } };
  const startedResponses = {
    202: { description: 'Started; a live event of the topic `moves` reports the end', schema: moveSchema },
  };
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Get the status of exports and imports, and the origin of this account',
      access: ownerOnly,
      responses: statusResponses,
      handler: async () => json(200, move.view()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/exports`,
      tag: TAG,
      summary: 'Create a download address for the whole account',
      description: 'Requires the password. The archive contains everything except secrets (docs/archive-format.md).',
      access: ownerOnly,
      body: { as: 'json', schema: moveExportRequestSchema },
      responses: { 201: { description: 'Valid for one download within a minute', schema: moveTicketSchema } },
      errors: ['wrong_state', 'rate_limited'],
      handler: async ({ body, caller }) => {
        const ticket = await move.issueTicket(body.password, caller, caller.principal);
        return json(201, { url: `${PATH}/exports/${ticket}` });
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/exports/:ticket`,
      tag: TAG,
      summary: 'Download the whole account',
      description:
        'The ticket in the address authorises the download. The archive is created during the download and contains the account as it was when the download started.',
      access: publicAccess,
      params: z.strictObject({ ticket: z.string().max(100) }),
      responses: { 200: { description: 'A zip file', contentType: 'application/zip' } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller }) => {
        const { stream, name } = move.download(caller.headersOnly ? '' : params.ticket);
        return {
          status: 200,
          stream,
          contentType: 'application/zip',
          headers: { 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}` },
        };
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/archive`,
      tag: TAG,
      summary: 'Announce an archive to import',
      description: 'Requires an account that is set up and empty. The same name and size resume an interrupted upload.',
      access: ownerOnly,
      body: { as: 'json', schema: moveArchiveSchema },
      responses: statusResponses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ body }) => json(200, move.begin(body)),
    }),
    route({
      method: 'PUT',
      path: `${PATH}/archive/content`,
      tag: TAG,
      summary: 'Upload the next chunk of the archive',
      description:
        '`offset` is the end of the previous chunk (`received`). A complete archive is checked, but not imported yet.',
      access: ownerOnly,
      query: z.object({
        offset: z
          .string()
          .regex(/^\d{1,15}$/u)
          .transform(Number),
      }),
      body: { as: 'bytes', maxBytes: MAX_ARCHIVE_CHUNK_BYTES, contentType: 'application/octet-stream' },
      responses: statusResponses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ query, body }) => json(200, await move.receive(query.offset, body)),
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/archive`,
      tag: TAG,
      summary: 'Delete the uploaded archive',
      access: ownerOnly,
      responses: statusResponses,
      errors: ['wrong_state'],
      handler: async () => json(200, move.discardUpload()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/check`,
      tag: TAG,
      summary: 'Check the archive again',
      access: ownerOnly,
      responses: startedResponses,
      errors: ['wrong_state'],
      handler: async () => json(202, move.check()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/import`,
      tag: TAG,
      summary: 'Import the archive',
      description:
        'Imports everything or nothing. The server then restarts with the imported account. Sign in again with the name and password of this account. ' +
        'The imported account is unreachable and sends nothing until the owner activates it.',
      access: ownerOnly,
      responses: startedResponses,
      errors: ['wrong_state'],
      handler: async () => json(202, move.importNow()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/settle`,
      tag: TAG,
      summary: 'Activate the imported account',
      description:
        'The account rejoins its contracts, reports its address to the exchange, runs functions, sends pending webhooks, and becomes reachable.',
      access: ownerOnly,
      responses: statusResponses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ caller }) => json(200, await move.settle(caller)),
    }),
    route({
      method: 'GET',
      path: '/.well-known/former-keys.json',
      tag: TAG,
      summary: 'List the former signing keys of this account',
      description:
        'Public keys that the account used before it was moved here. They only verify earlier signatures; tokens signed with them are not accepted.',
      access: publicAccess,
      responses: { 200: { description: 'Public keys', schema: formerKeysSchema } },
      handler: async () => json(200, { keys: move.formerKeys() }),
    }),
  ] as const;
};
