import { publicAccess, ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
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
import type { OwnerRequest, SecondFactorService } from './service.ts';

const TAG = 'Second factor';
const PATH = '/api/v2.6/owner/second-factor';

const ownerRequestOf = ({ principal, address, host, local }: Caller): OwnerRequest => ({
  address,
  host,
  local,
  session: ownerSessionOf(principal) ?? '',
});

const stateResponses = { 200: { description: 'The current state', schema: secondFactorSchema } };
const changeResponses = {
  200: { description: 'The current state, and new recovery codes', schema: changedFactorSchema },
};
const proofBody = { as: 'json', schema: ownerProofRequestSchema } as const;

export const secondFactorRoutes = ({ secondFactor }: { secondFactor: SecondFactorService }) =>
  [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/sign-in-ways',
      tag: TAG,
      summary: 'List the sign-in methods that work at this address',
      description:
        'The response does not depend on the caller, except for the challenge: with a token of the owner, the challenge is for a change within that session.',
      access: publicAccess,
      responses: {
        200: { description: 'Required factors, and a challenge for a passkey', schema: signInMethodsSchema },
      },
      handler: async ({ caller }) => json(200, secondFactor.signInMethods(ownerRequestOf(caller))),
    }),
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Get the second factor settings',
      access: ownerOnly,
      responses: stateResponses,
      handler: async ({ caller }) => json(200, secondFactor.view(ownerRequestOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/off`,
      tag: TAG,
      summary: 'Turn off the second factor',
      description: 'Deletes the app, all passkeys and all recovery codes. No session ends.',
      access: ownerOnly,
      body: proofBody,
      responses: stateResponses,
      errors: ['wrong_state', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.turnOff(body.proof, ownerRequestOf(caller))),
    }),
    route({
      method: 'PUT',
      path: `${PATH}/always`,
      tag: TAG,
      summary: 'Choose whether the second factor is also required on this machine',
      access: ownerOnly,
      body: { as: 'json', schema: alwaysRequestSchema },
      responses: stateResponses,
      errors: ['wrong_state', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) =>
        json(200, await secondFactor.setAlways(body.always, body.proof, ownerRequestOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/seen`,
      tag: TAG,
      summary: 'Acknowledge used recovery codes and failed attempts',
      access: ownerOnly,
      responses: stateResponses,
      errors: ['out_of_disk'],
      handler: async ({ caller }) => json(200, await secondFactor.acknowledge(ownerRequestOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/app`,
      tag: TAG,
      summary: 'Start adding an authenticator app',
      description:
        'The secret is shown once and becomes active with its first correct code. A previous app stays active until then.',
      access: ownerOnly,
      body: proofBody,
      responses: { 200: { description: 'The secret', schema: appSecretSchema } },
      errors: ['rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.startApp(body.proof, ownerRequestOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/app/confirm`,
      tag: TAG,
      summary: 'Confirm the authenticator app with its first code',
      access: ownerOnly,
      body: { as: 'json', schema: newCodeRequestSchema },
      responses: changeResponses,
      errors: ['wrong_state', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.confirmApp(body.code, ownerRequestOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/app/remove`,
      tag: TAG,
      summary: 'Remove the authenticator app',
      access: ownerOnly,
      body: proofBody,
      responses: stateResponses,
      errors: ['not_found', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.removeApp(body.proof, ownerRequestOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/passkey-options`,
      tag: TAG,
      summary: 'Start adding a passkey',
      access: ownerOnly,
      body: proofBody,
      responses: { 200: { description: 'Options for the browser', schema: passkeyOptionsSchema } },
      errors: ['wrong_state', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) =>
        json(200, await secondFactor.startPasskey(body.proof, ownerRequestOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/passkeys`,
      tag: TAG,
      summary: 'Add a passkey',
      access: ownerOnly,
      body: { as: 'json', schema: newPasskeySchema },
      responses: changeResponses,
      errors: ['wrong_state', 'already_exists', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.addPasskey(body, ownerRequestOf(caller))),
    }),
    route({
      method: 'PUT',
      path: `${PATH}/passkeys/:passkeyId`,
      tag: TAG,
      summary: 'Rename a passkey',
      access: ownerOnly,
      params: passkeyParamsSchema,
      body: { as: 'json', schema: passkeyRenameSchema },
      responses: stateResponses,
      errors: ['not_found', 'out_of_disk'],
      handler: async ({ params, body, caller }) =>
        json(200, await secondFactor.renamePasskey(params.passkeyId, body.name, ownerRequestOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/passkeys/:passkeyId/remove`,
      tag: TAG,
      summary: 'Remove a passkey',
      access: ownerOnly,
      params: passkeyParamsSchema,
      body: proofBody,
      responses: stateResponses,
      errors: ['not_found', 'rate_limited', 'out_of_disk'],
      handler: async ({ params, body, caller }) =>
        json(200, await secondFactor.removePasskey(params.passkeyId, body.proof, ownerRequestOf(caller))),
    }),
    route({
      method: 'POST',
      path: `${PATH}/recovery-codes`,
      tag: TAG,
      summary: 'Create new recovery codes',
      description: 'Previous recovery codes become invalid.',
      access: ownerOnly,
      body: proofBody,
      responses: changeResponses,
      errors: ['wrong_state', 'rate_limited', 'out_of_disk'],
      handler: async ({ body, caller }) => json(200, await secondFactor.renewCodes(body.proof, ownerRequestOf(caller))),
    }),
  ] as const;
