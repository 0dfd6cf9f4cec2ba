import { z } from 'zod';
import { isoTime } from '../../platform/clock.ts';
import { ownerOnly } from '../../platform/auth/principal.ts';
import { json, messageResponse, route } from '../../platform/http/route.ts';
import { messageSchema } from '../../wire/common.ts';
import {
  functionApprovalSchema,
  functionIdSchema,
  functionsPausedSchema,
  ownerFunctionSchema,
} from '../../wire/functions.ts';
import { DEFINITION_BODY_MAX_BYTES, MAX_FUNCTION_PACKAGE_BYTES } from '../../wire/limits.ts';
import type { Pausing } from './scheduler/pause.ts';
import type { FunctionService } from './service.ts';

const TAG = 'Your functions';

const params = z.strictObject({ id: functionIdSchema });

/** Functions as the dashboard shows them: what each reads and writes, where it runs, when it runs next. */
export const ownerFunctionRoutes = (parts: { functions: FunctionService; pausing: Pausing }) => {
  const { functions, pausing } = parts;
  const paused = () => {
    const since = pausing.since();
    return json(200, { since: since === undefined ? null : isoTime(since) });
  };
  const responses = { 200: { description: 'Whether they are paused', schema: functionsPausedSchema } };
  return [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/functions',
      tag: TAG,
      summary: 'Functions with what they read, write and wait for',
      access: ownerOnly,
      responses: { 200: { description: 'All that are or were registered', schema: z.array(ownerFunctionSchema) } },
      handler: () => json(200, functions.ownerList()),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/functions/:id',
      tag: TAG,
      summary: 'One function with what it reads, writes and waits for',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'The function', schema: ownerFunctionSchema } },
      errors: ['not_found'],
      handler: ({ params: { id } }) => json(200, functions.ownerFind(id)),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/functions/:id/enable',
      tag: TAG,
      summary: 'Enable a function as it was seen',
      description: 'Names what was looked at; when it publishes something else by now, that is refused.',
      access: ownerOnly,
      params,
      body: { as: 'json', schema: functionApprovalSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The function as it is now', schema: ownerFunctionSchema } },
      errors: ['not_found', 'function_not_available', 'wrong_state'],
      handler: async ({ params: { id }, body }) => {
        await functions.enable(id, body);
        return json(200, functions.ownerFind(id));
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/functions/packages',
      takesMinutes: true,
      tag: TAG,
      summary: 'Install a function package',
      description:
        'A zip file with `manifest.json` and one ES module. Over another version of the same function it takes its place. It runs once it is enabled.',
      access: ownerOnly,
      body: { as: 'bytes', maxBytes: MAX_FUNCTION_PACKAGE_BYTES, contentType: 'application/zip' },
      responses: { 201: { description: 'Installed', schema: ownerFunctionSchema } },
      errors: ['invalid_input', 'already_exists', 'too_large', 'out_of_disk'],
      handler: async ({ body }) => json(201, await functions.upload(body)),
    }),
    route({
      method: 'DELETE',
      path: '/api/v2.6/owner/functions/:id',
      tag: TAG,
      summary: 'Remove a function package',
      description: 'What it stored stays, and so does its history.',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'It is gone', schema: messageSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params: { id } }) => {
        await functions.remove(id);
        return messageResponse(200, 'Function removed');
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/functions-paused',
      tag: TAG,
      summary: 'Whether all functions are paused',
      access: ownerOnly,
      responses,
      handler: () => paused(),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/pause-functions',
      tag: TAG,
      summary: 'Let no function run until they are resumed',
      description: 'What runs at that moment comes to its end. It holds over a restart of the server.',
      access: ownerOnly,
      responses,
      errors: ['out_of_disk'],
      handler: async () => {
        await pausing.pause();
        return paused();
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/resume-functions',
      tag: TAG,
      summary: 'Let functions run again',
      access: ownerOnly,
      responses,
      errors: ['out_of_disk'],
      handler: async () => {
        await pausing.resume();
        return paused();
      },
    }),
  ] as const;
};
