import { publicAccess, ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, route, type Caller } from '../../../platform/http/route.ts';
import {
  alwaysRequestSchema,
  appSecretSchema,
  changedFactorSchema,
  appConfirmationSchema,
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
const ownerRoute = createRouteDeclarer({ tag: TAG, access: ownerOnly });
const PATH = '/api/v2.6/owner/second-factor';

const ownerRequestOf = ({ principal, address, host, local }: Caller): OwnerRequest => ({
  address,
  host,
  local,
  session: ownerSessionOf(principal) ?? '',
});

const stateResponses = { 200: { description: 'The current state', schema: secondFactorSchema } };
const changeResponses = {
  200: { description: 'The current state, and recovery codes if new ones were created', schema: changedFactorSchema },
};
const LAST_FACTOR_REMOVAL =
  'If no app or passkey remains, the second factor is turned off and the recovery codes are deleted.';
const proofBody = { as: 'json', schema: ownerProofRequestSchema } as const;

export const secondFactorRoutes = ({ secondFactor }: { secondFactor: SecondFactorService }) =>
  [
    route({
      method: 'GET',
      path: '/api/v2.6/owner/sign-in-ways',
      tag: TAG,
      summary: 'List the sign-in methods that work at this address',
      description:
        'The response does not depend on the principal, except for the challenge: with a token of the owner, the challenge is for a change within that session.',
      access: publicAccess,
      responses: {
        200: {
          description:
            'Whether a second factor is required, which factors work at this address, and a challenge for a passkey',
          schema: signInMethodsSchema,
        },
      },
      handler: async ({ caller }) => json(200, secondFactor.signInMethods(ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'Get the second factor settings',
      responses: stateResponses,
      handler: async ({ caller }) => json(200, secondFactor.view(ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/off`,
      summary: 'Turn off the second factor',
      description: 'Deletes the app, all passkeys and all recovery codes. No session ends.',
      body: proofBody,
      responses: stateResponses,
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => json(200, await secondFactor.turnOff(body.proof, ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'PUT',
      path: `${PATH}/always`,
      summary: 'Choose whether the second factor is also required on this machine',
      body: { as: 'json', schema: alwaysRequestSchema },
      responses: stateResponses,
      errors: ['wrong_state'],
      handler: async ({ body, caller }) =>
        json(200, await secondFactor.setAlways(body.always, body.proof, ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/seen`,
      summary: 'Acknowledge used recovery codes and failed attempts',
      responses: stateResponses,
      handler: async ({ caller }) => json(200, await secondFactor.acknowledge(ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/app`,
      summary: 'Start adding an authenticator app',
      description:
        'The secret is shown once and becomes active with its first correct code. A previous app stays active until then.',
      body: proofBody,
      responses: { 200: { description: 'The secret', schema: appSecretSchema } },
      handler: async ({ body, caller }) => json(200, await secondFactor.startApp(body.proof, ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/app/confirm`,
      summary: 'Confirm the authenticator app with its first code',
      body: { as: 'json', schema: appConfirmationSchema },
      responses: changeResponses,
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => json(200, await secondFactor.confirmApp(body.code, ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/app/remove`,
      summary: 'Remove the authenticator app',
      description: LAST_FACTOR_REMOVAL,
      body: proofBody,
      responses: stateResponses,
      errors: ['not_found'],
      handler: async ({ body, caller }) => json(200, await secondFactor.removeApp(body.proof, ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/passkey-options`,
      summary: 'Start adding a passkey',
      body: proofBody,
      responses: { 200: { description: 'Options for the browser', schema: passkeyOptionsSchema } },
      errors: ['wrong_state'],
      handler: async ({ body, caller }) =>
        json(200, await secondFactor.startPasskey(body.proof, ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/passkeys`,
      summary: 'Add a passkey',
      body: { as: 'json', schema: newPasskeySchema },
      responses: changeResponses,
      errors: ['wrong_state', 'already_exists'],
      handler: async ({ body, caller }) => json(200, await secondFactor.addPasskey(body, ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'PUT',
      path: `${PATH}/passkeys/:passkeyId`,
      summary: 'Rename a passkey',
      params: passkeyParamsSchema,
      body: { as: 'json', schema: passkeyRenameSchema },
      responses: stateResponses,
      errors: ['not_found'],
      handler: async ({ params, body, caller }) =>
        json(200, await secondFactor.renamePasskey(params.passkeyId, body.name, ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/passkeys/:passkeyId/remove`,
      summary: 'Remove a passkey',
      description: LAST_FACTOR_REMOVAL,
      params: passkeyParamsSchema,
      body: proofBody,
      responses: stateResponses,
      errors: ['not_found'],
      handler: async ({ params, body, caller }) =>
        json(200, await secondFactor.removePasskey(params.passkeyId, body.proof, ownerRequestOf(caller))),
    }),
    ownerRoute({
      method: 'POST',
      path: `${PATH}/recovery-codes`,
      summary: 'Create new recovery codes',
      description: 'Previous recovery codes become invalid.',
      body: proofBody,
      responses: changeResponses,
      errors: ['wrong_state'],
      handler: async ({ body, caller }) => json(200, await secondFactor.renewCodes(body.proof, ownerRequestOf(caller))),
    }),
  ] as const;
