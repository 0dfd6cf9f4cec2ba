import { ownerOnly } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import { examplesSchema, firstStepChangeSchema, firstStepsSchema } from '../../../wire/examples.ts';
import type { ExampleService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'First steps', access: ownerOnly });
const PATH = '/api/v2.6/owner/examples';
const STEPS_PATH = '/api/v2.6/owner/first-steps';

export const exampleRoutes = (examples: ExampleService, baseOf: (host: string) => string) =>
  [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'Get the status of the example data',
      responses: { 200: { description: 'Current status', schema: examplesSchema } },
      handler: async () => json(200, examples.view()),
    }),
    ownerRoute({
      method: 'POST',
      path: PATH,
      summary: 'Add example data',
      description:
        'Adds six weeks of records in namespaces that begin with `example-`, two files, and a request for some of the data.',
      responses: { 201: { description: 'The example data was added', schema: examplesSchema } },
      errors: ['wrong_state', 'already_exists', 'too_large'],
      handler: async ({ caller: { principal, host } }) =>
        json(201, await examples.add({ principal, base: baseOf(host) })),
    }),
    ownerRoute({
      method: 'DELETE',
      path: PATH,
      summary: 'Remove the example data',
      description:
        'Permanently erases the example namespaces, files and request. Does nothing if there is no example data.',
      responses: { 200: { description: 'The example data was removed', schema: examplesSchema } },
      errors: ['wrong_state'],
      handler: async () => json(200, await examples.remove()),
    }),
    ownerRoute({
      method: 'GET',
      path: STEPS_PATH,
      summary: 'List dismissed first steps',
      responses: { 200: { description: 'Dismissed steps', schema: firstStepsSchema } },
      handler: () => json(200, { dismissed: examples.listDismissed() }),
    }),
    ownerRoute({
      method: 'PUT',
      path: STEPS_PATH,
      summary: 'Dismiss a first step or show it again',
      body: { as: 'json', schema: firstStepChangeSchema },
      responses: { 200: { description: 'Dismissed steps', schema: firstStepsSchema } },
      handler: async ({ body }) => {
        await examples.setDismissed(body.step, body.dismissed);
        return json(200, { dismissed: examples.listDismissed() });
      },
    }),
  ] as const;
