import { z } from 'zod';
import { isoTimeOrNull } from '../../platform/clock.ts';
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
import type { PauseControl } from './scheduler/pause.ts';
import type { FunctionService } from './service.ts';

const TAG = 'Your functions';

const params = z.strictObject({ id: functionIdSchema });

export const ownerFunctionRoutes = (parts: { functions: FunctionService; pauseControl: PauseControl }) => {
  const { functions, pauseControl } = parts;
  const pauseResponse = () => {
    const since = pauseControl.since();
    return json(200, { since: isoTimeOrNull(since) });
  };
  const responses = { 200: { description: 'Whether functions are paused', schema: functionsPausedSchema } };
  return [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/functions',
      tag: TAG,
      summary: 'List functions with their inputs, outputs and next runs',
      access: ownerOnly,
      responses: {
        200: { description: 'All functions that are or were registered', schema: z.array(ownerFunctionSchema) },
      },
      handler: () => json(200, functions.ownerList()),
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/functions/:id',
      tag: TAG,
      summary: 'Get a function with its inputs, outputs and next run',
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
      summary: 'Enable the reviewed version of a function',
      description:
        'The body names the version that the owner reviewed. The request is rejected if the function has changed since then.',
      access: ownerOnly,
      params,
      body: { as: 'json', schema: functionApprovalSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The updated function', schema: ownerFunctionSchema } },
      errors: ['not_found', 'function_not_available', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params: { id }, body, caller: { trace } }) => {
        await functions.enable(id, body);
        trace.consent = { kind: 'function', name: id, detail: '' };
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
        'A zip file with `manifest.json` and one ES module. It replaces another version of the same function. The function runs only after it is enabled.',
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
      description: 'Its records and its run history are kept.',
      access: ownerOnly,
      params,
      responses: { 200: { description: 'Removed', schema: messageSchema } },
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params: { id }, caller: { trace } }) => {
        await functions.remove(id);
        trace.consent = { kind: 'function', name: id, detail: '' };
        return messageResponse(200, 'Function removed');
      },
    }),
    route({
      method: 'GET',
      path: '/api/v2.6/owner/functions-paused',
      tag: TAG,
      summary: 'Check whether functions are paused',
      access: ownerOnly,
      responses,
      handler: () => pauseResponse(),
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/pause-functions',
      tag: TAG,
      summary: 'Pause all functions',
      description: 'Runs in progress complete. The pause persists across restarts of the server.',
      access: ownerOnly,
      responses,
      errors: ['out_of_disk'],
      handler: async () => {
        await pauseControl.pause();
        return pauseResponse();
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/resume-functions',
      tag: TAG,
      summary: 'Resume all functions',
      access: ownerOnly,
      responses,
      errors: ['out_of_disk'],
      handler: async () => {
        await pauseControl.resume();
        return pauseResponse();
      },
    }),
  ] as const;
};
