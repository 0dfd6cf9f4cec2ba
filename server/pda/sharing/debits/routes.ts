import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { hasScope, ownerOnly, ownerSessionOf, type Principal } from '../../../platform/auth/principal.ts';
import { json, route } from '../../../platform/http/route.ts';
import { pagingQuery, pathNameSchema } from '../../../wire/common.ts';
import { MAX_PATH_NAME_CHARS } from '../../../wire/limits.ts';
import { debitProposalSchema, debitSchema, debitValuesSchema } from '../../../wire/debits.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { DebitService, Requester } from './service.ts';
import { valuesAccess, type DebitValues } from './values/reader.ts';

const TAG = 'Data Debits';
const PATH = '/api/v2.6/data-debit';
const ONE = `${PATH}/*key`;

const proposers = { auth: 'anyScope', startsWith: 'debits:propose' } as const;

const keyParams = z.strictObject({ key: pathNameSchema });

const requesterOf = (principal: Principal, key: string): Requester => {
  if (!hasScope(principal, 'debits:propose') && !hasScope(principal, `debits:propose:${key}`))
    throw new Failure('forbidden', 'This token does not give the right to ask for this Data Debit.');
  switch (principal.kind) {
    case 'owner':
      return { kind: 'owner', name: 'owner' };
    case 'application':
      return { kind: 'application', name: principal.application };
    case 'contract':
      return { kind: 'offer', name: principal.contract };
    default:
      return { kind: 'offer', name: 'exchange' };
  }
};

/** Data Debits as the interface has them. */
export const debitRoutes = (parts: { debits: DebitService; sharing: DebitValues }) => {
  const { debits, sharing } = parts;
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Data Debits, newest first',
      description: 'The owner sees all, an application those that it asked for.',
      access: { auth: 'scopes', scopesFor: () => ['debits:own'] },
      query: z.object({ skip: pagingQuery.skip, take: pagingQuery.take }),
      responses: { 200: { description: 'Each with the history of its permissions', schema: z.array(debitSchema) } },
      handler: async ({ query, caller: { principal } }) => {
        const found = debits.list(principal, query.skip, query.take);
        await debits.recordReviews(principal, found);
        return json(200, found);
      },
    }),
    route({
      method: 'POST',
      path: ONE,
      tag: TAG,
      summary: 'Ask the owner for data',
      description:
        'The key must be free, and the bundle names must not belong to an approved Data Debit or to a plain bundle. Nothing is shared before the owner has agreed.',
      access: proposers,
      params: keyParams,
      body: { as: 'json', schema: debitProposalSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: { description: 'It waits for the owner', schema: debitSchema } },
      errors: ['already_exists', 'rate_limited', 'too_large'],
      handler: async ({ params, body, caller: { principal } }) => {
        const requester = requesterOf(principal, params.key);
        return json(201, await debits.propose(params.key, body, requester, ownerSessionOf(principal)));
      },
    }),
    route({
      method: 'PUT',
      path: ONE,
      tag: TAG,
      summary: 'Ask for something else',
      description:
        'Adds a permission that waits for the owner. Until then values go on under the old one. One that waited before is taken back.',
      access: valuesAccess,
      params: keyParams,
      body: { as: 'json', schema: debitProposalSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The new permission waits for the owner', schema: debitSchema } },
      errors: ['already_exists', 'not_found', 'rate_limited', 'too_large', 'wrong_state'],
      handler: async ({ params, body, caller }) => json(200, await debits.update(params.key, body, caller.principal)),
    }),
    route({
      method: 'GET',
      path: ONE,
      tag: TAG,
      summary: 'One Data Debit',
      access: valuesAccess,
      params: keyParams,
      responses: { 200: { description: 'With the history of its permissions', schema: debitSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller: { principal } }) => {
        const debit = debits.find(params.key, principal);
        await debits.recordReviews(principal, [debit]);
        return json(200, debit);
      },
    }),
    route({
      method: 'GET',
      path: `${ONE}/values`,
      tag: TAG,
      summary: 'What it shares, now',
      description:
        'Of the version that the owner approved. Conditions that are not met are answered with an empty bundle.',
      access: valuesAccess,
      params: keyParams,
      responses: { 200: { description: 'Property to records', schema: debitValuesSchema } },
      errors: ['not_found', 'data_debit_not_enabled', 'rate_limited', 'query_limit_exceeded'],
      handler: ({ params, caller }) => sharing.values(params.key, caller),
    }),
    route({
      method: 'GET',
      path: `${ONE}/preview`,
      tag: TAG,
      summary: 'What it would share now',
      description:
        'The very bytes that `values` answers; before the owner has decided, those of what waits, as it was asked.',
      access: ownerOnly,
      params: keyParams,
      responses: { 200: { description: 'Property to records', schema: debitValuesSchema } },
      errors: ['not_found', 'data_debit_not_enabled'],
      handler: async ({ params, caller: { principal } }) => {
        const debit = debits.find(params.key, principal);
        // While another permission is active, the preview does not show the pending one.
        if (!debit.active) await debits.recordReviews(principal, [debit]);
        return sharing.preview(params.key, principal);
      },
    }),
    route({
      method: 'GET',
      path: `${ONE}/enable`,
      tag: TAG,
      summary: 'Approve what waits, as it was asked',
      description:
        'Where nothing is pending and sharing was stopped, it starts again under what was granted last. With `approve=false` only that. With `permissionId` 409 unless that is the permission which would be approved or started again; without it 409 when this session was shown another one.',
      access: ownerOnly,
      params: keyParams,
      query: z.object({
        approve: z.enum(['true', 'false']).default('true'),
        permissionId: z.string().max(MAX_PATH_NAME_CHARS).optional(),
      }),
      responses: { 200: { description: 'Enabled', schema: debitSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists', 'out_of_disk'],
      handler: async ({ params, query, caller: { principal } }) => {
        const approval = { session: ownerSessionOf(principal), version: query.permissionId };
        return json(200, await debits.enable(params.key, query.approve === 'true', approval));
      },
    }),
    route({
      method: 'GET',
      path: `${ONE}/disable`,
      tag: TAG,
      summary: 'Stop sharing',
      description: 'At once, or with `atPeriodEnd=true` when the running period is over.',
      access: ownerOnly,
      params: keyParams,
      query: z.object({ atPeriodEnd: z.enum(['true', 'false']).default('false') }),
      responses: { 200: { description: 'Stopped, or unchanged where nothing ran', schema: debitSchema } },
      errors: ['not_found', 'out_of_disk'],
      handler: async ({ params, query, caller: { principal } }) =>
        json(200, await debits.disable(params.key, query.atPeriodEnd === 'true', ownerSessionOf(principal))),
    }),
    route({
      method: 'POST',
      path: `${ONE}/reject`,
      tag: TAG,
      summary: 'Say no to what waits',
      description: 'What runs goes on.',
      access: ownerOnly,
      params: keyParams,
      responses: { 200: { description: 'Rejected', schema: debitSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, caller: { principal } }) =>
        json(200, await debits.reject(params.key, undefined, ownerSessionOf(principal))),
    }),
    route({
      method: 'DELETE',
      path: ONE,
      tag: TAG,
      summary: 'Stop sharing for good',
      description:
        'Nothing can be asked under this key any more. Its history stays, and so do its names once anything was agreed to.',
      access: ownerOnly,
      params: keyParams,
      responses: { 200: { description: 'Removed', schema: debitSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller: { principal } }) =>
        json(200, await debits.remove(params.key, ownerSessionOf(principal))),
    }),
  ] as const;
};
