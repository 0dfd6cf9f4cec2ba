import { z } from 'zod';
import { isoTimeOrNull } from '../../platform/clock.ts';
import { ownerOnly } from '../../platform/auth/principal.ts';
import { createRouteDeclarer, json, messageResponse } from '../../platform/http/route.ts';
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

const ownerRoute = createRouteDeclarer({ tag: 'Your functions', access: ownerOnly });

const params = z.strictObject({ id: functionIdSchema });

export const ownerFunctionRoutes = (parts: { functions: FunctionService; pauseControl: PauseControl }) => {
  const { functions, pauseControl } = parts;
  const pauseResponse = () => json(200, { since: isoTimeOrNull(pauseControl.pausedSince()) });
  const responses = {
    200: { description: 'Start of the pause, if functions are paused', schema: functionsPausedSchema },
  };
  return [
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/functions',
      summary: 'List functions with their inputs, outputs and next runs',
      responses: {
        200: { description: 'All functions that are or were registered', schema: z.array(ownerFunctionSchema) },
      },
      handler: () => json(200, functions.ownerList()),
    }),
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/functions/:id',
      summary: 'Get a function with its inputs, outputs and next run',
      params,
      responses: { 200: { description: 'The function', schema: ownerFunctionSchema } },
      errors: ['not_found'],
      handler: ({ params: { id } }) => json(200, functions.ownerFind(id)),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/functions/:id/enable',
      summary: 'Enable the reviewed version of a function',
      description:
        'The body contains what the owner reviewed. The request is rejected if the function has changed since then.',
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
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/functions/packages',
      takesMinutes: true,
      summary: 'Install a function package',
      description:
        'A zip file with `manifest.json` and one ES module. It replaces any other version of the same function. A new function runs only after it is enabled. An enabled function stays enabled, but does not run while it asks for more than was approved.',
      body: { as: 'bytes', maxBytes: MAX_FUNCTION_PACKAGE_BYTES, contentType: 'application/zip' },
      responses: { 201: { description: 'Installed', schema: ownerFunctionSchema } },
      errors: ['already_exists'],
      handler: async ({ body }) => json(201, await functions.upload(body)),
    }),
    ownerRoute({
      method: 'DELETE',
      path: '/api/v2.6/owner/functions/:id',
      summary: 'Remove a function package',
      description: 'The records and the run history of the function are kept.',
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
    ownerRoute({
      method: 'GET',
      path: '/api/v2.6/owner/functions-paused',
      summary: 'Check whether functions are paused',
      responses,
      handler: () => pauseResponse(),
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/pause-functions',
      summary: 'Pause all functions',
      description: 'Runs in progress complete. The pause persists across restarts of the server.',
      responses,
      handler: async () => {
        await pauseControl.pause();
        return pauseResponse();
      },
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/resume-functions',
      summary: 'Resume all functions',
      responses,
      handler: async () => {
        await pauseControl.resume();
        return pauseResponse();
      },
    }),
  ] as const;
};
