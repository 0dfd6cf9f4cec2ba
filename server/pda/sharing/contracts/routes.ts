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
  createContractedParser,
  findTokens,
  parseLargeContractedRequest,
  type ContractedRequest,
  type ContractedQuery,
} from './authentication/credentials.ts';

const TAG = 'Contracted access';
const PATH = '/api/v2.6/contract-data';

const readScope = (namespace: string): Scope => `records:read:${namespace}`;
const writeScope = (namespace: string): Scope => `records:write:${namespace}`;

/** Accepts all names, because these routes return 404 instead of 400 for invalid names. */
const namespaceParams = z.strictObject({ namespace: z.string() });
const endpointParams = namespaceParams.extend({ endpoint: z.string() });
const createQuery = contractedQuery.extend({ skipErrors: z.enum(['true', 'false']).optional() });

const requireValidNames = (namespace: string, endpoint?: string): void => {
  const isValid =
    namespaceSchema.safeParse(namespace).success &&
    (endpoint === undefined || endpointPathSchema.safeParse(endpoint).success);
  if (!isValid) throw new Failure('not_found', 'No contract has a namespace or an endpoint with this name.');
};

export const contractDataRoutes = (parts: { access: ContractAccess; recordHandlers: RecordHandlers }) => {
  const { access, recordHandlers } = parts;
  const parseRequest = createContractedParser();
  /** Requests that the credentials check has parsed for the handler. */
  const parsedRequests = new WeakMap<Caller, ContractedRequest>();
  const requestOf = (caller: Caller): ContractedRequest => {
    const request = parsedRequests.get(caller);
    if (request === undefined) throw new Error('the credentials of this contracted request were not checked');
    return request;
  };
  const bodyOf = (caller: Caller): Buffer => {
    const { body } = requestOf(caller);
    if (body === undefined)
      throw new Failure('invalid_input', '`body` is missing. Nothing was stored.', {
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
    requireValidNames(namespace, endpoint);
    // Parsing a large body is expensive, so the token is verified first.
    const isLarge = input.body.length > LARGE_BODY_BYTES;
    if (isLarge && !(await access.hasValidToken(findTokens(input.body, input.query))))
      throw new Failure('forbidden', 'The token of this request is not valid.');
    const request = isLarge
      ? await parseLargeContractedRequest(input.body, input.query)
      : parseRequest(input.body, input.query);
    parsedRequests.set(input.caller, request);
    return access.identify(request.credentials, namespace);
  };

  return [
    route({
      method: 'POST',
      path: `${PATH}/read/:namespace/*endpoint`,
      tag: TAG,
      summary: 'Read the records of an endpoint under a contract',
      description:
        'Returns the same response as `GET /api/v2.6/data/<namespace>/<endpoint>`. This PDA must have joined the ' +
        'contract, and the token must grant the required right.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [readScope(params.namespace)] },
      params: endpointParams,
      query: contractedQuery,
      body: { as: 'json-text', schema: contractReadSchema, maxBytes: SMALL_BODY_MAX_BYTES },
      identify,
      responses: { 200: { description: 'Records', schema: recordListSchema } },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: ({ params, caller }) =>
        recordHandlers.read(
          `${params.namespace}/${params.endpoint}`,
          { ...requestOf(caller).paging, meta: false },
          caller,
        ),
    }),
    route({
      method: 'POST',
      path: `${PATH}/create/:namespace/*endpoint`,
      tag: TAG,
      summary: 'Store records under a contract',
      description:
        '`body` is one JSON value, or an array with one record per element. All records are stored, or none. With ' +
        '`skipErrors=true`, elements equal to an existing record or an earlier element are skipped. Without read ' +
        'access, elements are only compared with each other and with records stored under this contract.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [writeScope(params.namespace)] },
      params: endpointParams,
      query: createQuery,
      body: { as: 'json-text', schema: contractCreateSchema, maxBytes: MAX_JSON_BODY_BYTES },
      identify,
      responses: {
        201: {
          description: 'The stored record, or the list of stored records',
          schema: z.union([recordSchema, recordListSchema]),
        },
      },
      errors: ['not_found', 'query_limit_exceeded'],
      handler: ({ params, query, caller }) =>
        recordHandlers.create(`${params.namespace}/${params.endpoint}`, bodyOf(caller), caller, {
          skipEqual: query.skipErrors === 'true',
        }),
    }),
    route({
      method: 'PUT',
      path: `${PATH}/update/:namespace`,
      tag: TAG,
      summary: 'Replace the data of records under a contract',
      description:
        'All records must be in this namespace. Each record keeps its id, endpoint and position. All records are ' +
        'replaced, or none.',
      access: { auth: 'scopes', scopesFor: ({ params }) => [writeScope(params.namespace)] },
      params: namespaceParams,
      query: contractedQuery,
      body: { as: 'json-text', schema: contractUpdateSchema, maxBytes: MAX_JSON_BODY_BYTES },
      identify,
      responses: { 201: { description: 'The updated records', schema: recordListSchema } },
      errors: ['not_found', 'data_missing'],
      handler: ({ params, caller }) =>
        recordHandlers.update(bodyOf(caller), caller, (namespace) => namespace === params.namespace),
    }),
  ] as const;
};
