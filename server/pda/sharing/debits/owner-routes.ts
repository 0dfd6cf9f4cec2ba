import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import { ownerOnly, ownerSessionOf } from '../../../platform/auth/principal.ts';
import { json, jsonText, route } from '../../../platform/http/route.ts';
import type { SigningKey } from '../../../platform/auth/tokens.ts';
import { pagingQuery, pathNameSchema } from '../../../wire/common.ts';
import {
  grantSchema,
  ownerDebitSchema,
  previewRequestSchema,
  previewSchema,
  proofSchema,
  receiptSchema,
} from '../../../wire/debits.ts';
import { DEFINITION_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import type { PreviewService } from './values/preview.ts';
import type { ProofService } from './values/proof.ts';
import { receiptContent, signReceipt } from './receipts/signing.ts';
import type { DebitService } from './service.ts';

const TAG = 'Your Data Debits';
const PATH = '/api/v2.6/owner/debits';
const ONE = `${PATH}/*key`;

const keyParams = z.strictObject({ key: pathNameSchema });

/** What the dashboard shows of Data Debits, and how the owner agrees to less than was asked. */
export const ownerDebitRoutes = (parts: {
  debits: DebitService;
  proofs: ProofService;
  preview: PreviewService;
  keys: () => readonly SigningKey[];
  /** host[:port] of this PDA, and its address as others write it. */
  address: () => string;
  url: () => string | undefined;
  clock: Clock;
}) => {
  const { debits, preview, proofs, clock } = parts;

  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Data Debits with what they were used for, newest first',
      access: ownerOnly,
      query: z.object({ skip: pagingQuery.skip, take: pagingQuery.take }),
      responses: { 200: { description: 'All of them, removed ones too', schema: z.array(ownerDebitSchema) } },
      handler: async ({ query, caller }) => {
        const found = debits.ownerList(query.skip, query.take);
        await debits.recordReviews(
          caller.principal,
          found.map(({ debit }) => debit),
        );
        return json(200, found);
      },
    }),
    route({
      method: 'GET',
      path: ONE,
      tag: TAG,
      summary: 'One Data Debit with what it was used for',
      access: ownerOnly,
      params: keyParams,
      responses: { 200: { description: 'The Data Debit', schema: ownerDebitSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => {
        const found = debits.ownerView(params.key);
        await debits.recordReviews(caller.principal, [found.debit]);
        return json(200, found);
      },
    }),
    route({
      method: 'POST',
      path: `${ONE}/grant`,
      tag: TAG,
      summary: 'Approve what waits, or less',
      description: 'Names the permission that the owner saw. When another one waits by now, nothing is approved.',
      access: ownerOnly,
      params: keyParams,
      body: { as: 'json', schema: grantSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'Approved', schema: ownerDebitSchema } },
      errors: ['not_found', 'wrong_state', 'already_exists'],
      handler: async ({ params, body, caller }) => {
        await debits.grant(params.key, body, undefined, ownerSessionOf(caller.principal));
        return json(200, debits.ownerView(params.key));
      },
    }),
    route({
      method: 'POST',
      path: `${ONE}/preview`,
      tag: TAG,
      summary: 'What would leave now, page by page',
      access: ownerOnly,
      params: keyParams,
      body: { as: 'json', schema: previewRequestSchema, maxBytes: DEFINITION_BODY_MAX_BYTES },
      responses: { 200: { description: 'By property', schema: previewSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: async ({ params, body, caller: { principal } }) => {
        const debit = debits.find(params.key, principal);
        if (debit.permissionsLatest.permissionId === body.permissionId) await debits.recordReviews(principal, [debit]);
        return jsonText(200, await preview.ofPermission(params.key, principal, body));
      },
    }),
    route({
      method: 'POST',
      path: `${ONE}/proof`,
      tag: TAG,
      summary: "Repeat the requester's own call",
      description:
        'Calls `values` with the right that the requester has to this Data Debit, also where the requester is not set up or its tokens no longer work, and returns the answer: it is about the consent alone. The access history shows a check by the owner.',
      access: ownerOnly,
      params: keyParams,
      responses: { 200: { description: 'Status and body of that call', schema: proofSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => json(200, await proofs.prove(params.key, caller)),
    }),
    route({
      method: 'GET',
      path: `${ONE}/receipt`,
      tag: TAG,
      summary: 'A signed receipt of what was agreed',
      description:
        'A compact JWS (RS256) whose header carries the public key (`jwk`), so that it can be verified offline. The same key, by its `kid`, is in the JWK Set at `jwks`.',
      access: ownerOnly,
      params: keyParams,
      responses: { 200: { description: 'The receipt, signed', schema: receiptSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => {
        const debit = debits.stored(params.key, caller.principal);
        const key = parts.keys().find(({ retired }) => !retired);
        if (key === undefined) throw new Error('no signing key');
        const receipt = receiptContent(debit, debits.history(debit), { pda: parts.address(), now: clock.now() });
        const jwks = new URL('/.well-known/jwks.json', parts.url() ?? `http://${caller.host}`).href;
        return json(200, { receipt, ...(await signReceipt(receipt, key)), jwks });
      },
    }),
  ] as const;
};
