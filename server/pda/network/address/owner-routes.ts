import { ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import type { Caller } from '../../../platform/http/route.ts';
import { exposureChangeSchema, exposureSchema } from '../../../wire/exposure.ts';
import type { ExposureService } from './service.ts';

const TAG = 'Exposure';
const PATH = '/api/v2.6/owner/exposure';

const sessionOf = ({ principal }: Caller): string => ('sessionId' in principal ? principal.sessionId : '');

/** What can be reached from outside, and how, for the owner. */
export const ownerExposureRoutes = (parts: { exposure: ExposureService }) => {
  const { exposure } = parts;
  const shown = (caller: Caller) => json(200, exposure.view(sessionOf(caller)));
  const responses = { 200: { description: 'As it is now', schema: exposureSchema } };
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'How this PDA is reached from outside, and what somebody could use there',
      access: ownerOnly,
      responses,
      handler: ({ caller }) => shown(caller),
    }),
    route({
      method: 'PUT',
      path: PATH,
      tag: TAG,
      summary: 'Choose how this PDA is reached from outside, or that it is not',
      description:
        'What is set in config.json or at the start cannot be changed here. Every connection from outside is closed.',
      access: ownerOnly,
      body: { as: 'json', schema: exposureChangeSchema },
      responses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ body, caller }) => {
        await exposure.change(body, caller);
        return shown(caller);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/go-dark',
      tag: TAG,
      summary: 'Let nobody in from outside any more',
      description:
        'Closes every connection from outside at once, the one that asks for it too. `probe` of the answer is a try from outside, made afterwards.',
      access: ownerOnly,
      responses,
      errors: ['out_of_disk'],
      handler: async ({ caller }) => {
        await exposure.goDark(caller);
        return shown(caller);
      },
    }),
    route({
      method: 'POST',
      path: '/api/v2.6/owner/go-light',
      tag: TAG,
      summary: 'Let others in from outside again',
      access: ownerOnly,
      responses,
      errors: ['out_of_disk'],
      handler: async ({ caller }) => {
        await exposure.goLight(caller);
        return shown(caller);
      },
    }),
    route({
      method: 'POST',
      path: `${PATH}/probe`,
      tag: TAG,
      summary: 'Try from outside, now',
      description: '`probe` of the answer says what came of it.',
      access: ownerOnly,
      responses,
      errors: ['wrong_state'],
      handler: async ({ caller }) => {
        await exposure.probe();
        return shown(caller);
      },
    }),
  ] as const;
};
