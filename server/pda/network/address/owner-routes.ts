import { ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json } from '../../../platform/http/route.ts';
import type { Caller } from '../../../platform/http/route.ts';
import { exposureChangeSchema, exposureSchema } from '../../../wire/exposure.ts';
import type { ExposureService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Exposure', access: ownerOnly });
const PATH = '/api/v2.6/owner/exposure';

export const ownerExposureRoutes = (parts: { exposure: ExposureService }) => {
  const { exposure } = parts;
  const viewFor = ({ principal }: Caller) => json(200, exposure.view(ownerSessionOf(principal) ?? ''));
  const responses = { 200: { description: 'Current settings and state', schema: exposureSchema } };
  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'Get the public address, its state, and what is accessible through it',
      responses,
      handler: ({ caller }) => viewFor(caller),
    }),
    ownerRoute({
      method: 'PUT',
      path: PATH,
      summary: 'Choose how this PDA is reached from outside',
      description:
        'Settings in config.json and on the command line cannot be changed here. A change closes all connections ' +
        'from outside.',
      body: { as: 'json', schema: exposureChangeSchema },
      responses,
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => {
        await exposure.change(body, caller);
        return viewFor(caller);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/go-dark',
      summary: 'Go dark: close the public address',
      description:
        'Closes all connections from outside immediately, including that of this request if it came from outside. ' +
        'The address, if there is one, is probed afterwards; `probe` in the response contains the result.',
      responses,
      handler: async ({ caller }) => {
        await exposure.goDark(caller);
        return viewFor(caller);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: '/api/v2.6/owner/go-light',
      summary: 'Open the public address again',
      responses,
      handler: async ({ caller }) => {
        await exposure.reopen(caller);
        return viewFor(caller);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/probe`,
      summary: 'Probe the public address now',
      description:
        '`probe` in the response contains the result. If the tunnel is not ready within a few seconds, nothing is ' +
        'probed, and `probe` keeps the previous result.',
      responses,
      errors: ['wrong_state'],
      handler: async ({ caller }) => {
        await exposure.probe();
        return viewFor(caller);
      },
    }),
  ] as const;
};
