import { z } from 'zod';
import { Failure } from '../../../platform/failure.ts';
import type { Scope } from '../../../platform/auth/principal.ts';
import { route, type Caller, type IdentifiedCaller } from '../../../platform/http/route.ts';
import { namespaceSchema, endpointPathSchema } from '../../../wire/common.ts';
import { contractCreateSchema, contractReadSchema, contractUpdateSchema } from '../../../wire/contracts.ts';
import { LARGE_BODY_BYTES, MAX_JSON_BODY_BYTES, SMALL_BODY_MAX_BYTES } from '../../../wire/limits.ts';
import { recordListSchema, recordSchema } from '../../../wire/records.ts';
import type { RecordHandlers } from '../../data/records/service.ts';
import type { ContractAccess } from './authentication/authenticator.ts';
import {
  contractedQuery,
  createContractedReader,
  tokensWithin,
  type ContractedCall,
  type ContractedQuery,
} from './authentication/credentials.ts';

const TAG = 'Contracted access';
const PATH = '/api/v2.6/contract-data';

const readScope = (namespace: string): Scope => `records:read:${namespace}`;
const writeScope = (namespace: string): Scope => `records:write:${namespace}`;

/** Any names: one that is not valid is 404 here, not 400. */
const namespaceParams = z.strictObject({ namespace: z.string() });
const endpointParams = namespaceParams.extend({ endpoint: z.string() });
const createQuery = contractedQuery.extend({ skipErrors: z.enum(['true', 'false']).optional() });

const requireNames = (namespace: string, endpoint?: string): void => {
  const good =
    namespaceSchema.safeParse(namespace).success &&
    (endpoint === undefined || endpointPathSchema.safeParse(endpoint).success);
  if (!good) throw new Failure('not_found', 'No contract has a namespace or an endpoint of this name.');
};

/** "Contracted calls raise the same errors as the direct data calls": behind the credentials they are those very calls. */
export const contractDataRoutes = (parts: { access: ContractAccess; calls: RecordHandlers }) => {
  const { access, calls } = parts;
  const readCall = createContractedReader();
  /** What each call carries, from the look at its credentials to its answer. */
  const read = new WeakMap<Caller, ContractedCall>();
  const carriedBy = (caller: Caller): ContractedCall => {
    const call = read.get(caller);
    if (call === undefined) throw new Error('a contracted call without a look at its credentials');
    return call;
  };
  const bodyOf = (caller: Caller): Buffer => {
    const { body } = carriedBy(caller);
    if (body === undefined)
      throw new Failure('invalid_input', 'body: is missing. Nothing was stored.', {
        details: [{ path: 'body.body', problem: 'is missing' }],
      });
    return Buffer.from(body);
  };

  const identify = async (input: {
    params: { namespace: string; endpoint?: string };
    query: ContractedQuery;
    body: Buffer;
    caller: Caller;
  }): Promise<IdentifiedCaller> => {
    const { namespace, endpoint } = input.params;
    requireNames(namespace, endpoint);
    // Reading it takes longest, and anybody may send it.
    const isLarge = input.body.length > LARGE_BODY_BYTES;
    if (isLarge && !(await access.isSigned(tokensWithin(input.body, input.query))))
      throw new Failure('forbidden', 'The token of this call is not valid.');
    const call = readCall(input.body, input.query);
    read.set(input.caller, call);
    return access.identify(call.credentials, namespace);
  };

  return [
    route({
      method: 'POST',
      path: `${PATH}/read/:namespace/*endpoint`,
      tag: TAG,
      summary: 'Read the records of an endpoint by a contract',
      description:
        'What the direct call answers. The contract must be joined here, and the token of its keyring give the right.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [readScope(params.namespace)] },
      params: endpointParams,
      query: contractedQuery,
      body: { as: 'json-text', schema: contractReadSchema, maxBytes: SMALL_BODY_MAX_BYTES },
      identify,
      responses: { 200: { description: 'Records', schema: recordListSchema } },
      errors: ['not_found', 'rate_limited', 'query_limit_exceeded'],
      handler: ({ params, caller }) =>
        calls.read(`${params.namespace}/${params.endpoint}`, { ...carriedBy(caller).paging, meta: false }, caller),
    }),
    route({
      method: 'POST',
      path: `${PATH}/create/:namespace/*endpoint`,
      tag: TAG,
      summary: 'Store records by a contract',
      description: '`body` is one JSON value, or an array: one record for each element, all or none.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [writeScope(params.namespace)] },
      params: endpointParams,
      query: createQuery,
      body: { as: 'json-text', schema: contractCreateSchema, maxBytes: MAX_JSON_BODY_BYTES },
      identify,
      responses: {
        201: { description: 'The record, or the list of them', schema: z.union([recordSchema, recordListSchema]) },
      },
      errors: ['not_found'],
      handler: ({ params, query, caller }) =>
        calls.create(`${params.namespace}/${params.endpoint}`, bodyOf(caller), caller, {
          skipEqual: query.skipErrors === 'true',
        }),
    }),
    route({
      method: 'PUT',
      path: `${PATH}/update/:namespace`,
      tag: TAG,
      summary: 'Replace the data of records by a contract',
      description: 'Records of this namespace only. Each keeps its id, endpoint and place. All or none.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [writeScope(params.namespace)] },
      params: namespaceParams,
      query: contractedQuery,
      body: { as: 'json-text', schema: contractUpdateSchema, maxBytes: MAX_JSON_BODY_BYTES },
      identify,
      responses: { 201: { description: 'The records as they are now', schema: recordListSchema } },
      errors: ['not_found', 'data_missing'],
      handler: ({ params, caller }) =>
        calls.update(bodyOf(caller), caller, (namespace) => namespace === params.namespace),
    }),
  ] as const;
};
