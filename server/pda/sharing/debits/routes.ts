import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import { hasScope, ownerOnly, ownerSessionOf, type Principal } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, route, type Caller } from '../../../platform/http/route.ts';
import { pagingQuery, pathNameSchema } from '../../../wire/common.ts';
import { debitProposalSchema, debitSchema, debitValuesSchema, type Debit } from '../../../wire/debits.ts';
import { EXAMPLE_DEBIT } from '../../../wire/examples.ts';
import { DEFINITION_BODY_MAX_BYTES, MAX_PATH_NAME_CHARS } from '../../../wire/limits.ts';
import { respondWithList } from './list-stream.ts';
import type { DebitService, Requester } from './service.ts';
import { debitAccess, type DebitValues } from './values/reader.ts';

const TAG = 'Data Debits';
const ownerRoute = createRouteDeclarer({ tag: TAG, access: ownerOnly });
const debitRoute = createRouteDeclarer({ tag: TAG, access: debitAccess });
const PATH = '/api/v2.6/data-debit';
const KEY_PATH = `${PATH}/*key`;

const proposalAccess = { auth: 'anyScope', startsWith: 'debits:propose' } as const;

const keyParams = z.strictObject({ key: pathNameSchema });

const requesterOf = (principal: Principal, key: string): Requester => {
  if (!hasScope(principal, 'debits:propose') && !hasScope(principal, `debits:propose:${key}`))
    throw new Failure('forbidden', 'This token does not grant the right to request this Data Debit.');
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

/** Names the Data Debit in the access log entry of a decision. Decisions about the example are not logged. */
export const traceDecision = ({ trace }: Pick<Caller, 'trace'>, key: string, permissionId: string): void => {
  trace.consent = { kind: 'debit', name: key, detail: permissionId };
  trace.isUnrecorded = key === EXAMPLE_DEBIT;
};

const respondToDecision = (caller: Caller, debit: Debit) => {
  traceDecision(caller, debit.dataDebitKey, debit.permissionsLatest.permissionId);
  return json(200, debit);
};

export const debitRoutes = (parts: { debits: DebitService; debitValues: DebitValues }) => {
  const { debits, debitValues } = parts;
  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'List Data Debits, newest first',
      description: 'The owner sees all Data Debits, an application only its own.',
      access: { auth: 'scopes', scopesFor: () => ['debits:own'] },
      query: z.object({ skip: pagingQuery.skip, take: pagingQuery.take }),
      responses: { 200: { description: 'Data Debits with all their permissions', schema: z.array(debitSchema) } },
      handler: ({ query, caller: { principal } }) =>
        respondWithList(debits.list(principal, query.skip, query.take), (items) =>
          debits.recordReviews(principal, items),
        ),
    }),
    route({
      method: 'POST',
      path: KEY_PATH,
      tag: TAG,
      summary: 'Request data from the owner',
      description:
        'The key must be free. The bundle names must not belong to an approved Data Debit, a plain bundle or another ' +
        'pending request of the same requester. Nothing is shared before the owner approves.',
      access: proposalAccess,
      params: keyParams,
      body: { as: 'json', schema: debitProposalSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 201: { description: 'The request is pending', schema: debitSchema } },
      errors: ['already_exists'],
      handler: async ({ params, body, caller: { principal } }) => {
        const requester = requesterOf(principal, params.key);
        return json(201, await debits.propose(params.key, body, requester, ownerSessionOf(principal)));
      },
    }),
    debitRoute({
      method: 'PUT',
      path: KEY_PATH,
      summary: 'Change a request',
      description:
        'Adds a pending permission. The active permission stays in force until the owner approves the change. A ' +
        'previously pending permission is withdrawn.',
      params: keyParams,
      body: { as: 'json', schema: debitProposalSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The new permission is pending', schema: debitSchema } },
      errors: ['already_exists', 'not_found', 'wrong_state'],
      handler: async ({ params, body, caller }) => json(200, await debits.update(params.key, body, caller.principal)),
    }),
    debitRoute({
      method: 'GET',
      path: KEY_PATH,
      summary: 'Get a Data Debit',
      params: keyParams,
      responses: { 200: { description: 'The Data Debit with all its permissions', schema: debitSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller: { principal } }) => {
        const debit = debits.find(params.key, principal);
        await debits.recordReviews(principal, [debit]);
        return json(200, debit);
      },
    }),
    debitRoute({
      method: 'GET',
      path: `${KEY_PATH}/values`,
      summary: 'Read the current values of a Data Debit',
      description:
        'Returns the records that the approved permission shares. If a condition is not met, the bundle is empty.',
      params: keyParams,
      responses: { 200: { description: 'Records by property', schema: debitValuesSchema } },
      errors: ['not_found', 'data_debit_not_enabled', 'query_limit_exceeded'],
      handler: ({ params, caller }) => debitValues.values(params.key, caller),
    }),
    ownerRoute({
      method: 'GET',
      path: `${KEY_PATH}/preview`,
      summary: 'Preview the values',
      description:
        'Returns the bytes that `values` returns, even during a pause. If no permission is active, returns the ' +
        'values of the pending permission as requested or, if none is pending, of the last scheduled permission.',
      params: keyParams,
      responses: { 200: { description: 'Records by property', schema: debitValuesSchema } },
      errors: ['not_found', 'data_debit_not_enabled', 'query_limit_exceeded'],
      handler: async ({ params, caller: { principal } }) => {
        const debit = debits.find(params.key, principal);
        // While another permission is active or paused, the preview does not show the pending permission.
        if (!debit.active && debit.pausedUntil === undefined) await debits.recordReviews(principal, [debit]);
        return debitValues.preview(params.key, principal);
      },
    }),
    ownerRoute({
      method: 'GET',
      path: `${KEY_PATH}/enable`,
      summary: 'Approve the pending permission as requested',
      description:
        'If nothing is pending, restarts what was stopped or has ended: the permission that was running keeps its ' +
        'start and its end if that end is still ahead, and otherwise starts now; scheduled permissions start at ' +
        'their times. Ends a pause, unless it only revokes a stop at the end of the period. With `approve=false`, ' +
        'only restarts, and returns 409 if a permission is pending, or if the end of the permission has passed since ' +
        'it was stopped. With `permissionId`, returns 409 unless that permission is pending, or was accepted last if ' +
        'none is; without it, returns 409 if this session was last shown a different permission.',
      params: keyParams,
      query: z.object({
        approve: z.enum(['true', 'false']).default('true'),
        permissionId: z.string().max(MAX_PATH_NAME_CHARS).optional(),
      }),
      responses: { 200: { description: 'Enabled', schema: debitSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists'],
      ownerDecision: true,
      handler: async ({ params, query, caller }) => {
        const approval = { session: ownerSessionOf(caller.principal), version: query.permissionId };
        return respondToDecision(caller, await debits.enable(params.key, query.approve === 'true', approval));
      },
    }),
    ownerRoute({
      method: 'GET',
      path: `${KEY_PATH}/disable`,
      summary: 'Stop sharing',
      description: 'Immediately, or at the end of the current period with `atPeriodEnd=true`.',
      params: keyParams,
      query: z.object({ atPeriodEnd: z.enum(['true', 'false']).default('false') }),
      responses: { 200: { description: 'Stopped, or unchanged if there was nothing to stop', schema: debitSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, query, caller }) => {
        const atPeriodEnd = query.atPeriodEnd === 'true';
        const debit = await debits.disable(params.key, atPeriodEnd, ownerSessionOf(caller.principal));
        // A pending request stays pending, so the newest permission is not always the stopped one.
        const stopped = debit.permissions.find(({ accepted }) => accepted) ?? debit.permissionsLatest;
        traceDecision(caller, params.key, stopped.permissionId);
        return json(200, debit);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${KEY_PATH}/reject`,
      summary: 'Reject the pending permission',
      description: 'The active permission stays in force.',
      params: keyParams,
      responses: { 200: { description: 'Rejected', schema: debitSchema } },
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params, caller }) =>
        respondToDecision(caller, await debits.reject(params.key, undefined, ownerSessionOf(caller.principal))),
    }),
    ownerRoute({
      method: 'DELETE',
      path: KEY_PATH,
      summary: 'Stop sharing permanently',
      description:
        'Afterwards, only the set-up of its application can create a request with this key. The history is kept. If ' +
        'a permission was ever approved, the bundle names stay reserved.',
      params: keyParams,
      responses: { 200: { description: 'Removed', schema: debitSchema } },
      errors: ['not_found'],
      ownerDecision: true,
      handler: async ({ params, caller }) =>
        respondToDecision(caller, await debits.remove(params.key, ownerSessionOf(caller.principal))),
    }),
  ] as const;
};
