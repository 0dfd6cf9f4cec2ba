import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import { examplesSchema, firstStepChangeSchema, firstStepsSchema, type FirstStep } from '../../../wire/examples.ts';
import type { ExampleService } from './service.ts';

const TAG = 'First steps';
const PATH = '/api/v2.6/owner/examples';
const STEPS_PATH = '/api/v2.6/owner/first-steps';

export const exampleRoutes = (parts: {
  examples: ExampleService;
  dismissed: () => FirstStep[];
  setDismissed: (step: FirstStep, isDismissed: boolean) => Promise<void>;
  baseOf: (host: string) => string;
}) => {
  const { examples, dismissed, setDismissed, baseOf } = parts;
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Get the status of the example data',
      access: ownerOnly,
      responses: { 200: { description: 'Current status', schema: examplesSchema } },
      handler: async () => json(200, examples.view()),
    }),
    route({
      method: 'POST',
      path: PATH,
      tag: TAG,
      summary: 'Add example data',
      description:
        'Adds six weeks of records in namespaces that begin with `example-`, two files, and a request for some of the data.',
      access: ownerOnly,
      responses: { 201: { description: 'The example data was added', schema: examplesSchema } },
      errors: ['wrong_state', 'already_exists', 'too_large', 'out_of_disk'],
      handler: async ({ caller: { principal, host } }) =>
        json(201, await examples.add({ principal, base: baseOf(host) })),
    }),
    route({
      method: 'DELETE',
      path: PATH,
      tag: TAG,
      summary: 'Remove the example data',
      description:
        'Permanently erases the example namespaces, files and request. Does nothing if there is no example data.',
      access: ownerOnly,
      responses: { 200: { description: 'The example data was removed', schema: examplesSchema } },
      errors: ['wrong_state', 'out_of_disk'],
      handler: async () => json(200, await examples.remove()),
    }),
    route({
      method: 'GET',
      path: STEPS_PATH,
      tag: TAG,
      summary: 'List dismissed first steps',
      access: ownerOnly,
      responses: { 200: { description: 'Dismissed steps', schema: firstStepsSchema } },
      handler: () => json(200, { waved: dismissed() }),
    }),
    route({
      method: 'PUT',
      path: STEPS_PATH,
      tag: TAG,
      summary: 'Dismiss a first step or show it again',
      access: ownerOnly,
      body: { as: 'json', schema: firstStepChangeSchema },
      responses: { 200: { description: 'Dismissed steps', schema: firstStepsSchema } },
      errors: ['out_of_disk'],
      handler: async ({ body }) => {
        await setDismissed(body.step, body.waved);
        return json(200, { waved: dismissed() });
      },
    }),
  ] as const;
};
