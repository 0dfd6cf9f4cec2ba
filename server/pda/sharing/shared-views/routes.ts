import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import {
  newSharedViewSchema,
  sharedViewSchema,
  sharedViewsSchema,
  type SharedView,
} from '../../../wire/shared-views.ts';
import type { SharedViewService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Shared tables and charts', access: ownerOnly });
const PATH = '/api/v2.6/owner/shared-views';
const viewResponses = { 200: { description: 'The table or chart and the user', schema: sharedViewSchema } };

const respondToDecision = ({ trace }: Caller, view: SharedView): RouteResponse => {
  trace.consent = { kind: view.definition.kind, name: view.name, detail: view.userName };
  return json(200, view);
};

export const sharedViewRoutes = ({ sharedViews }: { sharedViews: SharedViewService }) =>
  [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List tables and charts that are shared with users',
      responses: {
        200: { description: 'Tables and charts that are shared now, sorted by name', schema: sharedViewsSchema },
      },
      handler: () => json(200, { views: sharedViews.list() }),
    }),
    ownerRoute({
      method: 'POST',
      path: PATH,
      summary: 'Share a table or chart with a user',
      description:
        'A table shows the shared columns of all matching records, including later ones, or only of the selected ' +
        'records while they are at the endpoint. A chart includes later records, too. Replaces what is shared with ' +
        'the user under the same kind, name and endpoint.',
      body: { as: 'json', schema: newSharedViewSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: viewResponses,
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ body, caller }) => respondToDecision(caller, await sharedViews.share(body)),
    }),
    ownerRoute({
      method: 'DELETE',
      path: `${PATH}/:sharedViewId`,
      summary: 'Stop sharing a table or chart with a user',
      description: 'Access ends immediately. Running downloads are aborted.',
      params: z.strictObject({ sharedViewId: z.uuid() }),
      responses: viewResponses,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => respondToDecision(caller, await sharedViews.stop(params.sharedViewId)),
    }),
  ] as const;
