import { z } from 'zod';
import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import {
  formerKeysSchema,
  MAX_ARCHIVE_PIECE_BYTES,
  moveArchiveSchema,
  moveExportRequestSchema,
  moveSchema,
  moveTicketSchema,
} from '../../../wire/move.ts';
import type { MoveService } from './service.ts';

const TAG = 'Move';
const PATH = '/api/v2.6/owner/move';

/** Moving a whole account, for the owner; and the keys that it had elsewhere, for anybody. */
export const moveRoutes = (move: MoveService) => {
  const responses = { 200: { description: 'As it is now', schema: moveSchema } };
  const begun = {
    202: { description: 'It runs; live events of the topic `moves` tell of its end', schema: moveSchema },
  };
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'What is being exported or imported, and where this account came from',
      access: ownerOnly,
      responses,
      handler: async () => json(200, move.view()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/exports`,
      tag: TAG,
      summary: 'An address to download the whole account from',
      description: 'Wants the password once more. Everything is in the archive but secrets (docs/archive-format.md).',
      access: ownerOnly,
      body: { as: 'json', schema: moveExportRequestSchema },
      responses: { 201: { description: 'Good for one download within a minute', schema: moveTicketSchema } },
      errors: ['wrong_state', 'rate_limited'],
      handler: async ({ body, caller }) => {
        const { principal } = caller;
        const sessionId = principal.kind === 'owner' ? principal.sessionId : '';
        return json(201, { url: `${PATH}/exports/${await move.ticket(body.password, caller, sessionId)}` });
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/exports/:ticket`,
      tag: TAG,
      summary: 'Download the whole account',
      description:
        'The ticket in the address is the permission. It is made as it is downloaded, of the moment at which the download began.',
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
      description:
        'Only into an account that was set up and not used yet. The same name and size again goes on where an upload broke off.',
      access: ownerOnly,
      body: { as: 'json', schema: moveArchiveSchema },
      responses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ body }) => json(200, move.begin(body)),
    }),
    route({
      method: 'PUT',
      path: `${PATH}/archive/content`,
      tag: TAG,
      summary: 'Send the next piece of the archive',
      description:
        '`offset` is where the last piece ended (`received`). When all of it is here, it is read whole, and nothing is imported yet.',
      access: ownerOnly,
      query: z.object({
        offset: z
          .string()
          .regex(/^\d{1,15}$/u)
          .transform(Number),
      }),
      body: { as: 'bytes', maxBytes: MAX_ARCHIVE_PIECE_BYTES, contentType: 'application/octet-stream' },
      responses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ query, body }) => json(200, await move.receive(query.offset, body)),
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/archive`,
      tag: TAG,
      summary: 'Throw away what was sent of an archive',
      access: ownerOnly,
      responses,
      errors: ['wrong_state'],
      handler: async () => json(200, move.forget()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/check`,
      tag: TAG,
      summary: 'Read the archive once more',
      access: ownerOnly,
      responses: begun,
      errors: ['wrong_state'],
      handler: async () => json(202, move.check()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/import`,
      tag: TAG,
      summary: 'Import the archive',
      description:
        'All or nothing. When the account is built, the server restarts with it: sign in again, with the name and password of this account. It is dark then, and ' +
        'nothing goes out, until the owner settles it.',
      access: ownerOnly,
      responses: begun,
      errors: ['wrong_state'],
      handler: async () => json(202, move.importNow()),
    }),
    route({
      method: 'POST',
      path: `${PATH}/settle`,
      tag: TAG,
      summary: 'Let the account that came here speak and answer from here',
      description:
        'The account rejoins its contracts, reports its address to the exchange, runs functions, sends pending webhooks, and accepts visitors.',
      access: ownerOnly,
      responses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ caller }) => json(200, await move.settle(caller)),
    }),
    route({
      method: 'GET',
      path: '/.well-known/former-keys.json',
      tag: TAG,
      summary: 'Keys that this account signed with before it moved here',
      description: 'For checking what was signed then, and for nothing else: no token that one of them signed counts.',
      access: publicAccess,
      responses: { 200: { description: 'Public halves', schema: formerKeysSchema } },
      handler: async () => json(200, { keys: move.formerKeys() }),
    }),
  ] as const;
};
