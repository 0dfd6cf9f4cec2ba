import { ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import type { Caller } from '../../../platform/http/route.ts';
import { exposureChangeSchema, exposureSchema } from '../../../wire/exposure.ts';
import type { ExposureService } from './service.ts';

const TAG = 'Exposure';
const PATH = '/api/v2.6/owner/exposure';

export const ownerExposureRoutes = (parts: { exposure: ExposureService }) => {
  const { exposure } = parts;
  const viewFor = ({ principal }: Caller) => json(200, exposure.view(ownerSessionOf(principal) ?? ''));
  const responses = { 200: { description: 'Current settings and state', schema: exposureSchema } };
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Get the public address, its state, and what is accessible through it',
      access: ownerOnly,
      responses,
      handler: ({ caller }) => viewFor(caller),
    }),
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Choose how this PDA is reached from outside',
      description:
        'Settings of config.json and of the command line cannot be changed here. All connections from outside are ' +
        'closed.',
      access: ownerOnly,
      body: { as: 'json', schema: exposureChangeSchema },
      responses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ body, caller }) => {
        await exposure.change(body, caller);
        return viewFor(caller);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/go-dark',
      tag: TAG,
      summary: 'Go dark: close the public address',
      description:
        'Closes all connections from outside immediately, including the one of this request. The address is probed ' +
        'afterwards; `probe` of the response has the result.',
      access: ownerOnly,
      responses,
      errors: ['out_of_disk'],
      handler: async ({ caller }) => {
        await exposure.goDark(caller);
        return viewFor(caller);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/go-light',
      tag: TAG,
      summary: 'Open the public address again',
      access: ownerOnly,
      responses,
      errors: ['out_of_disk'],
      handler: async ({ caller }) => {
        await exposure.goLight(caller);
        return viewFor(caller);
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/probe`,
      tag: TAG,
      summary: 'Probe the public address now',
      description: '`probe` of the response has the result.',
      access: ownerOnly,
      responses,
      errors: ['wrong_state'],
      handler: async ({ caller }) => {
        await exposure.probe();
        return viewFor(caller);
      },
    }),
  ] as const;
};
