import { publicAccess, ownerOnly } from '../../../platform/auth/principal.ts';
import { json, route, type Caller } from '../../../platform/http/route.ts';
import {
  alwaysRequestSchema,
  appSecretSchema,
  changedFactorSchema,
  newCodeRequestSchema,
  newPasskeySchema,
  passkeyOptionsSchema,
  passkeyParamsSchema,
  passkeyRenameSchema,
  ownerProofRequestSchema,
  secondFactorSchema,
  signInMethodsSchema,
} from '../../../wire/second-factor.ts';
import type { Asking, SecondFactorService } from './service.ts';

const TAG = 'Second factor';
const PATH = '/api/v2.6/owner/second-factor';

const askingOf = ({ principal, address, host, local }: Caller): Asking => ({
  address,
  host,
  local,
  session: principal.kind === 'owner' ? principal.sessionId : '',
});

const asItIs = { 200: { description: 'As it is now', schema: secondFactorSchema } };
const changed = { 200: { description: 'As it is now, and new recovery codes', schema: changedFactorSchema } };
const proofBody = { as: 'json', schema: ownerProofRequestSchema } as const;

/** What the owner proves beside the password, and the challenge that a passkey signs at a sign-in. */
export const secondFactorRoutes = ({ secondFactor }: { secondFactor: SecondFactorService }) =>
  [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/sign-in-ways',
      tag: TAG,
      summary: 'What a sign-in takes by this address',
      description:
        'The same response for all callers. With the token of the owner the challenge is for a change within that session.',
      access: publicAccess,
      responses: { 200: { description: 'What is asked, and a challenge for a passkey', schema: signInMethodsSchema } },
      handler: async ({ caller }) => json(200, secondFactor.ways(askingOf(caller))),
    }),
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'What is asked for beside the password',
      access: ownerOnly,
      responses: asItIs,
      handler: async ({ caller }) => json(200, secondFactor.view(askingOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/off`,
      tag: TAG,
      summary: 'Switch it off',
      description: 'The app, every passkey and every recovery code are forgotten. No session ends.',
      access: ownerOnly,
      body: proofBody,
      responses: asItIs,
      errors: ['wrong_state', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.turnOff(body.proof, askingOf(caller))),
    }),
    route({
      method: 'PUT',
      path: `${PATH}/always`,
      tag: TAG,
      summary: 'Ask for it on this machine too, or only from outside',
      access: ownerOnly,
      body: { as: 'json', schema: alwaysRequestSchema },
      responses: asItIs,
      errors: ['wrong_state', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) =>
        json(200, await secondFactor.setAlways(body.always, body.proof, askingOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/seen`,
      tag: TAG,
      summary: 'Say that you have seen what was used and tried',
      access: ownerOnly,
      responses: asItIs,
      errors: ['out_of_disk'],
      handler: async ({ caller }) => json(200, await secondFactor.seen(askingOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/app`,
      tag: TAG,
      summary: 'Begin to add an authenticator app',
      description:
        'The secret is shown this once, and counts from its first right code on. An app that was there before holds until then.',
      access: ownerOnly,
      body: proofBody,
      responses: { 200: { description: 'The secret', schema: appSecretSchema } },
      errors: ['rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.startApp(body.proof, askingOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/app/confirm`,
      tag: TAG,
      summary: 'Show the first code of the app',
      access: ownerOnly,
      body: { as: 'json', schema: newCodeRequestSchema },
      responses: changed,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.confirmApp(body.code, askingOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/app/remove`,
      tag: TAG,
      summary: 'Remove the authenticator app',
      access: ownerOnly,
      body: proofBody,
      responses: asItIs,
      errors: ['not_found', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.removeApp(body.proof, askingOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/passkey-options`,
      tag: TAG,
      summary: 'Begin to add a passkey',
      access: ownerOnly,
      body: proofBody,
      responses: { 200: { description: 'What to ask the browser for', schema: passkeyOptionsSchema } },
      errors: ['wrong_state', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.startPasskey(body.proof, askingOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/passkeys`,
      tag: TAG,
      summary: 'Add a passkey',
      access: ownerOnly,
      body: { as: 'json', schema: newPasskeySchema },
      responses: changed,
      errors: ['wrong_state', 'already_exists', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.addPasskey(body, askingOf(caller))),
    }),
    route({
      method: 'PUT',
      path: `${PATH}/passkeys/:passkeyId`,
      tag: TAG,
      summary: 'Give a passkey another name',
      access: ownerOnly,
      params: passkeyParamsSchema,
      body: { as: 'json', schema: passkeyRenameSchema },
      responses: asItIs,
      errors: ['not_found', 'out_of_disk'],
      handler: async ({ params, body, caller }) =>
        json(200, await secondFactor.renamePasskey(params.passkeyId, body.name, askingOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/passkeys/:passkeyId/remove`,
      tag: TAG,
      summary: 'Remove a passkey',
      access: ownerOnly,
      params: passkeyParamsSchema,
      body: proofBody,
      responses: asItIs,
      errors: ['not_found', 'rate_limited', 'out_of_disk'],
      handler: async ({ params, body, caller }) =>
        json(200, await secondFactor.removePasskey(params.passkeyId, body.proof, askingOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/recovery-codes`,
      tag: TAG,
      summary: 'Make new recovery codes',
      description: 'Those that there were are good for nothing any more.',
      access: ownerOnly,
      body: proofBody,
      responses: changed,
      errors: ['wrong_state', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.renewCodes(body.proof, askingOf(caller))),
    }),
  ] as const;
