import { z } from 'zod';
import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import {
  newSharedViewSchema,
  sharedViewSchema,
  sharedViewsSchema,
  type SharedView,
} from '../../../wire/shared-views.ts';
import type { SharedViewService } from './service.ts';

const TAG = 'Shared tables and charts';
const PATH = '/api/v2.6/owner/shared-views';
const oneView = { 200: { description: 'The table or chart and the user', schema: sharedViewSchema } };

/** Names the table or chart and the user in the decision's access log entry. */
const respondToDecision = ({ trace }: Caller, view: SharedView): RouteResponse => {
  trace.consent = { kind: view.definition.kind, name: view.name, detail: view.userName };
  return json(200, view);
};

export const sharedViewRoutes = ({ sharedViews }: { sharedViews: SharedViewService }) =>
  [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'List tables and charts that are shared with users',
      access: ownerOnly,
      responses: { 200: { description: 'All that have not ended, by name', schema: sharedViewsSchema } },
      handler: () => json(200, { views: sharedViews.list() }),
    }),
    route({
      method: 'POST',
      path: PATH,
      tag: TAG,
      summary: 'Share a table or chart with a user',
      description:
        'The user sees the shared columns of all matching records, including later ones; or only of the selected records, as long as they are at the endpoint. Replaces what is shared with the user under the same kind, name and endpoint.',
      access: ownerOnly,
      body: { as: 'json', schema: newSharedViewSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: oneView,
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ body, caller }) => respondToDecision(caller, await sharedViews.share(body)),
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/:sharedViewId`,
      tag: TAG,
      summary: 'Stop sharing a table or chart with a user',
      description: 'Access ends immediately. Running downloads are aborted.',
      access: ownerOnly,
      params: z.strictObject({ sharedViewId: z.uuid() }),
      responses: oneView,
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) => respondToDecision(caller, await sharedViews.stop(params.sharedViewId)),
    }),
  ] as const;
