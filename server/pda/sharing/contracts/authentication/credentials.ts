import { hash } from 'node:crypto';
import { z } from 'zod';
import { setBounded } from '../../../../platform/limits/bounded-map.ts';
import { Failure } from '../../../../platform/failure.ts';
import { jsonRefused } from '../../../../platform/json/failure.ts';
import { JSON_LIMITS, scanEnvelopes } from '../../../../platform/json/text.ts';
import { contractCreateSchema, contractReadSchema } from '../../../../wire/contracts.ts';
import { pagingQuery } from '../../../../wire/common.ts';

export type Credentials = {
  /** Hash of the token, by which it is known once it was looked at; the token itself for when it was not. */
  tokenHash: string;
  token: () => string;
  contractId: string;
  pdaName: string;
};

/** What a contracted call carries: who calls, how to page, and the records as text. */
export type ContractedCall = {
  credentials: Credentials;
  /** The member `body` as it came; undefined when there is none. */
  body: string | undefined;
  paging: { skip: number; take: number; orderBy?: string | undefined; ordering?: string | undefined };
};

/** The same names in the address. Not strict: other parameters are the direct call's, and none is refused there. */
const given = z.union([z.string(), z.array(z.string())]).optional();
export const contractedQuery = z.object({
  token: given,
  contractId: given,
  pdaName: given,
  skip: pagingQuery.skip.optional(),
  take: pagingQuery.take.optional(),
  orderBy: pagingQuery.orderBy,
  ordering: pagingQuery.ordering,
});
export type ContractedQuery = z.output<typeof contractedQuery>;

const credentialsSchema = contractCreateSchema.pick({ token: true, contractId: true, pdaName: true });
const pagingSchema = contractReadSchema.pick({ orderBy: true, ordering: true, skip: true, take: true });
const defaults = z.object({ skip: pagingQuery.skip, take: pagingQuery.take }).parse({});

/** The member stands one level deeper than the body of a direct call: what may be stored there may be stored here. */
const LIMITS = { ...JSON_LIMITS, maxDepth: JSON_LIMITS.maxDepth + 1 };

const NAMES = ['token', 'contractId', 'pdaName'] as const;

/**
 * "Fields are read from the body (the query is read too)". One that is in both must be the same in both: which of the two is looked at, and
 * which of them counts, must not be two questions. @throws Failure forbidden
 */
const credentialsOf = (rest: Readonly<Record<string, unknown>>, query: ContractedQuery): Credentials => {
  const found: Record<string, unknown> = {};
  for (const name of NAMES) {
    const inBody = Object.hasOwn(rest, name) ? rest[name] : undefined;
    const inQuery = query[name];
    if (inBody !== undefined && inQuery !== undefined && inBody !== inQuery)
      throw new Failure('forbidden', `The body and the address give two different values of ${name}.`);
    found[name] = inBody ?? inQuery;
  }
  const parsed = credentialsSchema.safeParse(found);
  if (!parsed.success)
    throw new Failure('forbidden', 'A contracted call carries token, contractId and pdaName in its body.');
  const { token, contractId, pdaName } = parsed.data;
  return { tokenHash: hash('sha256', token, 'base64'), token: () => token, contractId, pdaName };
};

/** Calls that are remembered, and bytes of the longest. */
const MAX_KEPT = 1000;
const MAX_KEPT_BYTES = 10_000;

/**
 * Remembers what calls that only read carried: a program sends the same words over and over until its token expires. Hashes in place of tokens, so
 * that a memory dump holds none that could be used.
 */
export const createContractedReader = (): typeof readContractedCall => {
  const kept = new Map<string, ContractedCall>();
  return (bytes, query) => {
    if (bytes.length > MAX_KEPT_BYTES || NAMES.some((name) => query[name] !== undefined))
      return readContractedCall(bytes, query);
    const { skip, take, orderBy, ordering } = query;
    const key = `${hash('sha256', bytes, 'base64')} ${[skip, take, orderBy, ordering].join(' ')}`;
    const known = kept.get(key);
    if (known !== undefined) {
      const token = (): string => readContractedCall(bytes, query).credentials.token();
      return { ...known, credentials: { ...known.credentials, token } };
    }
    const call = readContractedCall(bytes, query);
    const gone = (): never => {
      throw new Error('the token is not kept');
    };
    if (call.body === undefined)
      setBounded(kept, key, { ...call, credentials: { ...call.credentials, token: gone } }, MAX_KEPT);
    return call;
  };
};

const TOKEN_NAME = '"token"';
const TOKEN_MEMBER = /^"token"\s*:\s*"(?<token>[\w.-]{1,4000})"/u;
const TOKEN_MEMBER_CHARS = 4100;
/** Places in a body that are looked at for a token. */
const MAX_PLACES = 5;

/**
 * Finds tokens in a request body without parsing it, so that a token is verified before 10 MB of JSON are parsed.
 * `readContractedCall` decides what the request contains.
 */
export const tokensWithin = (bytes: Buffer, query: ContractedQuery): Pick<Credentials, 'token' | 'tokenHash'>[] => {
  const found = [query.token ?? []].flat();
  let at = bytes.indexOf(TOKEN_NAME);
  for (let places = 0; at !== -1 && places < MAX_PLACES; places += 1) {
    const token = TOKEN_MEMBER.exec(bytes.toString('latin1', at, at + TOKEN_MEMBER_CHARS))?.groups?.['token'];
    if (token !== undefined) found.push(token);
    at = bytes.indexOf(TOKEN_NAME, at + TOKEN_NAME.length);
  }
  return found
    .slice(0, MAX_PLACES)
    .map((token) => ({ tokenHash: hash('sha256', token, 'base64'), token: () => token }));
};

/** @throws Failure invalid_json | invalid_input | forbidden */
export const readContractedCall = (bytes: Buffer, query: ContractedQuery): ContractedCall => {
  const scan = scanEnvelopes(bytes, 'body', LIMITS);
  if (!scan.ok) throw jsonRefused(scan);
  const [envelope] = scan.envelopes;
  if (scan.kind !== 'object' || envelope === undefined)
    throw new Failure('invalid_input', 'Send an object with token, contractId and pdaName.');
  const { raw, rest } = envelope;
  const credentials = credentialsOf(rest, query);
  const paging = pagingSchema.safeParse(rest);
  if (!paging.success) {
    const details = paging.error.issues.map(({ path, message }) => ({
      path: ['body', ...path.map(String)].join('.'),
      problem: message,
    }));
    const [first] = details;
    throw new Failure('invalid_input', `${first?.path ?? 'body'}: ${first?.problem ?? 'not valid'}`, { details });
  }
  const { skip, take, orderBy, ordering } = paging.data;
  return {
    credentials,
    body: raw,
    paging: {
      skip: skip ?? query.skip ?? defaults.skip,
      take: take ?? query.take ?? defaults.take,
      orderBy: orderBy ?? query.orderBy,
      ordering: ordering ?? query.ordering,
    },
  };
};
