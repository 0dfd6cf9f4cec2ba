import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { createRouteDeclarer, json, jsonText, type Caller } from '../../../platform/http/route.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import { pagingQuery, pathNameSchema } from '../../../wire/common.ts';
import {
  debitPauseSchema,
  grantSchema,
  ownerDebitSchema,
  permissionChangeSchema,
  previewRequestSchema,
  previewSchema,
  proofSchema,
  receiptSchema,
  type OwnerDebit,
} from '../../../wire/debits.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { PreviewService } from './values/preview.ts';
import type { ProofService } from './values/proof.ts';
import { respondWithList } from './list-stream.ts';
import { createReceipt, signReceipt } from './receipts/signing.ts';
import { traceDecision } from './routes.ts';
import type { DebitService } from './service.ts';

const ownerRoute = createRouteDeclarer({ tag: 'Your Data Debits', access: ownerOnly });
const PATH = '/api/v2.6/owner/debits';
const KEY_PATH = `${PATH}/*key`;

const keyParams = z.strictObject({ key: pathNameSchema });

export const ownerDebitRoutes = (parts: {
  debits: DebitService;
  proofs: ProofService;
  preview: PreviewService;
  keys: () => readonly SigningKey[];
  address: () => string;
  url: () => string | undefined;
  clock: Clock;
}) => {
  const { debits, preview, proofs, clock } = parts;

  const respondToDecision = (caller: Caller, view: OwnerDebit) => {
    traceDecision(caller, view.debit.dataDebitKey, view.lastGranted?.permissionId ?? '');
    return json(200, view);
  };

  return [
    ownerRoute({
      method: 'GET',
      path: PATH,
      summary: 'List Data Debits with usage totals, newest first',
      query: z.object({ skip: pagingQuery.skip, take: pagingQuery.take }),
      responses: {
        200: { description: 'A page of Data Debits, including removed ones', schema: z.array(ownerDebitSchema) },
      },
      handler: ({ query, caller }) =>
        respondWithList(debits.ownerList(query.skip, query.take), (views) =>
          debits.recordReviews(
            caller.principal,
            views.map(({ debit }) => debit),
          ),
        ),
    }),
    ownerRoute({
      method: 'GET',
      path: KEY_PATH,
      summary: 'Get a Data Debit with usage totals',
      params: keyParams,
      responses: { 200: { description: 'The Data Debit', schema: ownerDebitSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => {
        const view = debits.ownerView(params.key);
        await debits.recordReviews(caller.principal, [view.debit]);
        return json(200, view);
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${KEY_PATH}/grant`,
      summary: 'Approve the pending permission, optionally narrowed',
      description:
        '`permissionId` names the reviewed permission. If a different permission is pending, nothing is approved.',
      params: keyParams,
      body: { as: 'json', schema: grantSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Approved', schema: ownerDebitSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) => {
        await debits.grant(params.key, body, undefined, ownerSessionOf(caller.principal));
        traceDecision(caller, params.key, body.permissionId);
        return json(200, debits.ownerView(params.key));
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${KEY_PATH}/change`,
      summary: 'Change what a granted permission shares, or when it ends',
      description:
        'Takes effect immediately; the requester need not agree. The owner can share at most what was requested. A ' +
        'permission that was disabled or has ended starts again. A permission that is scheduled to begin later stays ' +
        'scheduled, and a pending request stays pending, each with a new id.',
      params: keyParams,
      body: { as: 'json', schema: permissionChangeSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Changed, or unchanged if nothing differs', schema: ownerDebitSchema } },
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) => {
        const permissionId = await debits.change(params.key, body, ownerSessionOf(caller.principal));
        traceDecision(caller, params.key, permissionId);
        // The permission already had this grant.
        if (permissionId === body.permissionId) caller.trace.isUnrecorded = true;
        return json(200, debits.ownerView(params.key));
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${KEY_PATH}/pause`,
      summary: 'Pause a Data Debit until a time',
      description:
        'No values are shared until then. Sharing resumes automatically. The end of the permission does not change. ' +
        'Pausing again changes the time.',
      params: keyParams,
      body: { as: 'json', schema: debitPauseSchema },
      responses: { 200: { description: 'Paused', schema: ownerDebitSchema } },
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params, body, caller }) => {
        await debits.pause(params.key, body.until, ownerSessionOf(caller.principal));
        return respondToDecision(caller, debits.ownerView(params.key));
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${KEY_PATH}/resume`,
      summary: 'End the pause of a Data Debit',
      params: keyParams,
      responses: { 200: { description: 'Resumed', schema: ownerDebitSchema } },
      errors: ['not_found', 'wrong_state'],
      ownerDecision: true,
      handler: async ({ params, caller }) => {
        await debits.resume(params.key, ownerSessionOf(caller.principal));
        return respondToDecision(caller, debits.ownerView(params.key));
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${KEY_PATH}/preview`,
      summary: 'Preview the shared records, page by page',
      params: keyParams,
      body: { as: 'json', schema: previewRequestSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'The records by property', schema: previewSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ params, body, caller: { principal } }) => {
        const debit = debits.find(params.key, principal);
        if (debit.permissionsLatest.permissionId === body.permissionId) await debits.recordReviews(principal, [debit]);
        return jsonText(200, await preview.previewPermission(params.key, principal, body));
      },
    }),
    ownerRoute({
      method: 'POST',
      path: `${KEY_PATH}/proof`,
      summary: 'Show what the requester would receive now',
      description:
        'Requests `values` with the rights of the requester and returns the response, with its size in place of a ' +
        'long body. The result depends only on the consent: the requester need not be set up, and its tokens need ' +
        'not be valid. The access history shows a check by the owner.',
      params: keyParams,
      responses: { 200: { description: 'Status and body of the response', schema: proofSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => json(200, await proofs.prove(params.key, caller)),
    }),
    ownerRoute({
      method: 'GET',
      path: `${KEY_PATH}/receipt`,
      summary: 'Get a signed receipt of the agreement',
      description:
        'A compact JWS (RS256) whose header contains the public key (`jwk`), so that the receipt can be verified ' +
        'offline. The JWK Set at `jwks` contains the same key under its `kid`.',
      params: keyParams,
      responses: { 200: { description: 'The receipt, signed', schema: receiptSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => {
        const debit = debits.findStored(params.key, caller.principal);
        const key = parts.keys().find(({ retired }) => !retired);
        if (key === undefined) throw new Error('this PDA has no active signing key');
        const receipt = createReceipt(debit, debits.history(debit), { pda: parts.address(), now: clock.now() });
        const jwks = new URL('/.well-known/jwks.json', parts.url() ?? `http://${caller.host}`).href;
        return json(200, { receipt, ...(await signReceipt(receipt, key)), jwks });
      },
    }),
  ] as const;
};
