import { z } from 'zod';
import { isoTime, type Clock } from '../../platform/clock.ts';
import { Failure } from '../../platform/failure.ts';
import { ownerOnly, type Principal } from '../../platform/principal.ts';
import { newTrace } from '../../platform/trace.ts';
import { json, jsonText, route, type Answer, type Caller } from '../../platform/route.ts';
import type { SigningKey } from '../../platform/tokens.ts';
import { pagingQuery, pathNameSchema } from '../../wire/common.ts';
import {
  grantSchema,
  ownerDebitSchema,
  previewRequestSchema,
  previewSchema,
  proofSchema,
  receiptSchema,
} from '../../wire/debits.ts';
import type { PreviewService } from './preview.ts';
import { receiptContent, signReceipt } from './receipts.ts';
import type { DebitService, StoredDebit } from './service.ts';
import type { Sharing } from './values.ts';

const TAG = 'Your Data Debits';
const PATH = '/api/v2.6/owner/debits';
const ONE = `${PATH}/*key`;

const keyParams = z.strictObject({ key: pathNameSchema });

/** Characters of an answer that a proof shows; of a longer one it says how long it is. */
const MAX_SHOWN_CHARS = 20_000;

/** What the dashboard shows of Data Debits, and how the owner agrees to less than was asked. */
export const ownerDebitRoutes = (parts: {
  debits: DebitService;
  sharing: Sharing;
  preview: PreviewService;
  /** An application as it calls with its token; undefined when its tokens do not work. */
  principalOf: (application: string) => Principal | undefined;
  keys: () => readonly SigningKey[];
  /** host[:port] of this PDA, and its address as others write it. */
  address: () => string;
  url: () => string | undefined;
  clock: Clock;
}) => {
  const { debits, sharing, preview, clock } = parts;

  const requesterPrincipal = (debit: StoredDebit, owner: Principal): Principal | undefined => {
    if (debit.application !== null) return parts.principalOf(debit.application);
    return debit.requester.kind === 'owner'
      ? owner
      : { kind: 'exchange', scopes: new Set([`debits:read:${debit.key}`] as const) };
  };

  /** The same as over HTTP: a token that does not work is turned away before anything else is looked at. */
  const tryCall = async (debit: StoredDebit, caller: Caller): Promise<Answer> => {
    const principal = requesterPrincipal(debit, caller.principal);
    if (principal === undefined)
      throw new Failure('not_authenticated', 'This needs a valid token in the x-auth-token header.');
    return sharing.values(debit.key, { ...caller, principal, trace: newTrace() });
  };

  const shownBody = async ({ text, stream }: Answer): Promise<unknown> => {
    if (stream !== undefined || text === undefined || text.length > MAX_SHOWN_CHARS) {
      let bytes = Buffer.byteLength(text ?? '');
      for await (const piece of stream ?? []) bytes += Buffer.byteLength(piece);
      return { message: `${bytes} bytes of records` };
    }
    const body: unknown = JSON.parse(text.toString());
    return body;
  };

  return [
    route({
      method: 'GET',
      path: PATH,
      tag: TAG,
      summary: 'Data Debits with what they were used for, newest first',
      access: ownerOnly,
      query: z.object({ skip: pagingQuery.skip, take: pagingQuery.take }),
      responses: { 200: { description: 'All of them, removed ones too', schema: z.array(ownerDebitSchema) } },
      handler: ({ query }) => json(200, debits.ownerList(query.skip, query.take)),
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
      handler: ({ params }) => json(200, debits.ownerView(params.key)),
    }),
    route({
      method: 'POST',
      path: `${ONE}/grant`,
      tag: TAG,
      summary: 'Approve what waits, or less',
      description: 'Names the permission that the owner saw. When another one waits by now, nothing is approved.',
      access: ownerOnly,
      params: keyParams,
      body: { as: 'json', schema: grantSchema },
      responses: { 200: { description: 'Approved', schema: ownerDebitSchema } },
      errors: ['not_found', 'wrong_state'],
      handler: async ({ params, body }) => {
        await debits.grant(params.key, body);
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
      body: { as: 'json', schema: previewRequestSchema },
      responses: { 200: { description: 'By property', schema: previewSchema } },
      errors: ['not_found'],
      handler: async ({ params, body, caller }) =>
        jsonText(200, await preview.ofPermission(params.key, caller.principal, body)),
    }),
    route({
      method: 'POST',
      path: `${ONE}/proof`,
      tag: TAG,
      summary: "The requester's own call, tried now",
      description: 'Goes the way of a call of `values` with the rights of the requester, and shows how it is answered.',
      access: ownerOnly,
      params: keyParams,
      responses: { 200: { description: 'Status and body of that call', schema: proofSchema } },
      errors: ['not_found'],
      handler: async ({ params, caller }) => {
        const debit = debits.stored(params.key, caller.principal);
        const proof = { call: `GET /api/v2.6/data-debit/${params.key}/values`, time: isoTime(clock.now()) };
        try {
          const answer = await tryCall(debit, caller);
          return json(200, { ...proof, status: answer.status, body: await shownBody(answer) });
        } catch (error) {
          if (!(error instanceof Failure)) throw error;
          return json(200, { ...proof, status: error.status, body: error.toBody(caller.requestId) });
        }
      },
    }),
    route({
      method: 'GET',
      path: `${ONE}/receipt`,
      tag: TAG,
      summary: 'A signed receipt of what was agreed',
      description: 'Anybody can check it: a compact JWS (RS256) by the key of its `kid` at the address of `jwks`.',
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
        return json(200, { receipt, jws: await signReceipt(receipt, key), jwks });
      },
    }),
  ] as const;
};
