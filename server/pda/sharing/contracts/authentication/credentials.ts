import { hash } from 'node:crypto';
import { z } from 'zod';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import { Failure } from '../../../../platform/failure.ts';
import { validate } from '../../../../platform/http/request/validation.ts';
import { toInvalidJsonFailure } from '../../../../platform/json/failure.ts';
import { scanEnvelopeBody } from '../../../../platform/json/body.ts';
import { JSON_LIMITS, scanEnvelopes, type EnvelopeScan, type JsonFailure } from '../../../../platform/json/text.ts';
import { contractCreateSchema, contractReadSchema } from '../../../../wire/contracts.ts';
import { pagingQuery } from '../../../../wire/common.ts';

export type Credentials = {
  /** SHA-256 hash of the token; key of the token cache. */
  tokenHash: string;
  /** Called only if the hash is not cached. */
  token: () => string;
  contractId: string;
  pdaName: string;
};

export type ContractedRequest = {
  credentials: Credentials;
  /** JSON text of the member `body`; undefined if it is missing. */
  body: string | undefined;
  paging: { skip: number; take: number; orderBy?: string | undefined; ordering?: string | undefined };
};

const queryValue = z.union([z.string(), z.array(z.string())]).optional();
/** Accepts unknown parameters, as the direct data routes do. */
export const contractedQuery = z.object({
  token: queryValue,
  contractId: queryValue,
  pdaName: queryValue,
  skip: pagingQuery.skip.optional(),
  take: pagingQuery.take.optional(),
  orderBy: pagingQuery.orderBy,
  ordering: pagingQuery.ordering,
});
export type ContractedQuery = z.output<typeof contractedQuery>;

const credentialsSchema = contractCreateSchema.pick({ token: true, contractId: true, pdaName: true });
const pagingSchema = contractReadSchema.pick({ orderBy: true, ordering: true, skip: true, take: true });
const defaultPaging = z.object({ skip: pagingQuery.skip, take: pagingQuery.take }).parse({});

/** One more level than on the direct data routes, because the records are in a member of the body. */
const CONTRACTED_JSON_LIMITS = { ...JSON_LIMITS, maxDepth: JSON_LIMITS.maxDepth + 1 };

const CREDENTIAL_NAMES = ['token', 'contractId', 'pdaName'] as const;

/** Returns the credentials in the body or the query. @throws Failure forbidden if they differ or are incomplete */
const credentialsOf = (members: Readonly<Record<string, unknown>>, query: ContractedQuery): Credentials => {
  const values: Record<string, unknown> = {};
  for (const name of CREDENTIAL_NAMES) {
    const bodyMember = Object.hasOwn(members, name) ? members[name] : undefined;
    const parameter = query[name];
    if (bodyMember !== undefined && parameter !== undefined && bodyMember !== parameter)
      throw new Failure('forbidden', `The body and the query have different values for ${name}.`);
    values[name] = bodyMember ?? parameter;
  }
  const parsed = credentialsSchema.safeParse(values);
  if (!parsed.success)
    throw new Failure('forbidden', 'A contracted request needs token, contractId and pdaName in its body or query.');
  const { token, contractId, pdaName } = parsed.data;
  return { tokenHash: hash('sha256', token, 'base64'), token: () => token, contractId, pdaName };
};

const MAX_CACHED_REQUESTS = 1000;
const MAX_CACHED_BODY_BYTES = 10_000;

/**
 * Creates a parser that caches small requests without records, because applications repeat the same read request until
 * their token expires. The cache contains hashes of tokens, so that a memory dump contains no usable token.
 */
export const createContractedParser = (): typeof parseContractedRequest => {
  const cache = new Map<string, ContractedRequest>();
  return (bytes, query) => {
    if (bytes.length > MAX_CACHED_BODY_BYTES || CREDENTIAL_NAMES.some((name) => query[name] !== undefined))
      return parseContractedRequest(bytes, query);
    const { skip, take, orderBy, ordering } = query;
    const key = `${hash('sha256', bytes, 'base64')} ${[skip, take, orderBy, ordering].join(' ')}`;
    const cachedRequest = cache.get(key);
    if (cachedRequest !== undefined) {
      const token = (): string => parseContractedRequest(bytes, query).credentials.token();
      return { ...cachedRequest, credentials: { ...cachedRequest.credentials, token } };
    }
    const request = parseContractedRequest(bytes, query);
    const failWithoutToken = (): never => {
      throw new Error('the token is not cached');
    };
    if (request.body === undefined)
      setBounded(
        cache,
        key,
        { ...request, credentials: { ...request.credentials, token: failWithoutToken } },
        MAX_CACHED_REQUESTS,
      );
    return request;
  };
};

const TOKEN_NAME = '"token"';
const TOKEN_MEMBER = /^"token"\s*:\s*"(?<token>[\w.-]{1,4000})"/u;
const TOKEN_MEMBER_CHARS = 4100;
const MAX_TOKEN_CANDIDATES = 5;

/**
 * Finds possible tokens in the query and in an unparsed body, so that a token is verified before up to 10 MB of JSON is
 * parsed. The parsed request then determines which of these tokens applies.
 */
export const findTokens = (bytes: Buffer, query: ContractedQuery): Pick<Credentials, 'token' | 'tokenHash'>[] => {
  const candidates = [query.token ?? []].flat();
  let offset = bytes.indexOf(TOKEN_NAME);
  for (let count = 0; offset !== -1 && count < MAX_TOKEN_CANDIDATES; count += 1) {
    const token = TOKEN_MEMBER.exec(bytes.toString('latin1', offset, offset + TOKEN_MEMBER_CHARS))?.groups?.['token'];
    if (token !== undefined) candidates.push(token);
    offset = bytes.indexOf(TOKEN_NAME, offset + TOKEN_NAME.length);
  }
  return candidates
    .slice(0, MAX_TOKEN_CANDIDATES)
    .map((token) => ({ tokenHash: hash('sha256', token, 'base64'), token: () => token }));
};

const parseContractedRequest = (bytes: Buffer, query: ContractedQuery): ContractedRequest =>
  requestOf(scanEnvelopes(bytes, 'body', CONTRACTED_JSON_LIMITS), query);

/** @throws Failure invalid_json | invalid_input | forbidden */
export const parseLargeContractedRequest = async (bytes: Buffer, query: ContractedQuery): Promise<ContractedRequest> =>
  requestOf(await scanEnvelopeBody(bytes, 'body', CONTRACTED_JSON_LIMITS), query);

const requestOf = (scan: EnvelopeScan | JsonFailure, query: ContractedQuery): ContractedRequest => {
  if (!scan.ok) throw toInvalidJsonFailure(scan);
  const [envelope] = scan.envelopes;
  if (scan.kind !== 'object' || envelope === undefined)
    throw new Failure(
      'invalid_input',
      'The body must be a JSON object. Send token, contractId and pdaName in it or in the query.',
    );
  const { raw, otherMembers } = envelope;
  const credentials = credentialsOf(otherMembers, query);
  const { skip, take, orderBy, ordering } = validate('body', pagingSchema, otherMembers);
  return {
    credentials,
    body: raw,
    paging: {
      skip: skip ?? query.skip ?? defaultPaging.skip,
      take: take ?? query.take ?? defaultPaging.take,
      orderBy: orderBy ?? query.orderBy,
      ordering: ordering ?? query.ordering,
    },
  };
};
