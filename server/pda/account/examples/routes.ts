import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import { examplesSchema, firstStepChangeSchema, firstStepsSchema, type FirstStep } from '../../../wire/examples.ts';
import type { ExampleService } from './service.ts';

const TAG = 'First steps';
const PATH = '/api/v2.6/owner/examples';
const STEPS = '/api/v2.6/owner/first-steps';

/** Example data, and what a new owner waved away. */
export const exampleRoutes = (parts: {
  examples: ExampleService;
  waved: () => FirstStep[];
  wave: (step: FirstStep, waved: boolean) => Promise<void>;
  baseOf: (host: string) => string;
}) => {
  const { examples, waved, wave, baseOf } = parts;
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Whether example data is here',
      access: ownerOnly,
      responses: { 200: { description: 'As it is now', schema: examplesSchema } },
      handler: async () => json(200, examples.view()),
    }),
    route({
      method: 'POST',
      path: PATH,
      tag: TAG,
      summary: 'Put example data here',
      description:
        'Some weeks of records in namespaces that begin with `example-`, two files, and a request for some of it.',
      access: ownerOnly,
      responses: { 201: { description: 'It is here', schema: examplesSchema } },
      errors: ['wrong_state', 'already_exists', 'too_large', 'out_of_disk'],
      handler: async ({ caller: { principal, host } }) =>
        json(201, await examples.put({ principal, base: baseOf(host) })),
    }),
    route({
      method: 'DELETE',
      path: PATH,
      tag: TAG,
      summary: 'Take the example data away',
      description:
        'Everything in its namespaces, its files and its request, for good and without a trace. Fine when there is none.',
      access: ownerOnly,
      responses: { 200: { description: 'It is gone', schema: examplesSchema } },
      errors: ['wrong_state', 'out_of_disk'],
      handler: async () => json(200, await examples.take()),
    }),
    route({
      method: 'GET',
      path: STEPS,
      tag: TAG,
      summary: 'What a new owner is not to be led to any more',
      access: ownerOnly,
      responses: { 200: { description: 'As it is now', schema: firstStepsSchema } },
      handler: () => json(200, { waved: waved() }),
    }),
    route({
      method: 'PUT',
      path: STEPS,
      tag: TAG,
      summary: 'Wave a first step away, or have it said again',
      access: ownerOnly,
      body: { as: 'json', schema: firstStepChangeSchema },
      responses: { 200: { description: 'As it is now', schema: firstStepsSchema } },
      errors: ['out_of_disk'],
      handler: async ({ body }) => {
        await wave(body.step, body.waved);
        return json(200, { waved: waved() });
      },
    }),
  ] as const;
};
