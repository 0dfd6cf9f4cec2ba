import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ErrorCode } from '../../wire/errors.ts';
import type { ConsentKind } from '../../wire/ledger.ts';
import { SMALL_BODY_MAX_BYTES } from '../../wire/limits.ts';
import type { Failure } from '../failure.ts';
import type { Access, Principal } from '../auth/principal.ts';
import type { BaseHeaders } from './response/security-headers.ts';

// Validation, access checks, the OpenAPI document and the typed client follow from the declarations of routes.

/** Path prefix of signed URLs. The URL itself grants access. */
export const STORAGE_PREFIX = '/storage/';

type Schema = z.ZodType;
type OutputOf<S> = S extends Schema ? z.output<S> : undefined;

export type BodySpec =
  /** Parsed and validated. `maxBytes` defaults to `SMALL_BODY_MAX_BYTES`. */
  | { as: 'json'; schema: Schema; maxBytes?: number }
  /** Passed to the handler as bytes. `schema` is only for the OpenAPI document and the typed client. */
  | { as: 'json-text'; schema: Schema; maxBytes: number }
  | { as: 'bytes'; maxBytes: number; contentType: string };

export const bodyMaxBytes = (body: BodySpec): number => body.maxBytes ?? SMALL_BODY_MAX_BYTES;

type BodyOf<B> = B extends { as: 'json'; schema: infer S extends Schema }
  ? z.output<S>
  : B extends { as: 'json-text' }
    ? Buffer
    : B extends { as: 'bytes' }
      ? Readable
      : undefined;

export type ResponseSpec = {
  description: string;
  /** Absent for empty responses, and for content that is not validated, which has a `contentType` instead. */
  schema?: Schema;
  contentType?: string;
};

/** Data that a request accessed, for its access log entry. Handlers add to it before they respond. */
export type AccessTrace = {
  readonly records: Map<string, number[]>;
  /** IDs of the records that were deleted before the response, by sequence number. */
  removedIds: Map<number, string> | null;
  /** Number of records that `records` does not contain. */
  unnamedCount: number;
  /** Fields in the response; null: entire records. */
  fields: readonly string[] | null;
  /** The permission on which the request relies, or what a decision of the owner changes; null without one. */
  consent: { kind: ConsentKind; name: string; detail: string } | null;
  /** True for a decision of the owner that needs no access log entry, e.g. about a collection that is not shared. */
  isUnrecorded: boolean;
  /** True once a decision of the owner is stored. Its entry is then written even if the response fails. */
  isDecisionStored: boolean;
};

export type Caller = {
  principal: Principal;
  address: string;
  /** host[:port] of the request: one of our own addresses. */
  host: string;
  local: boolean;
  userAgent: string;
  /** Returns a cookie. Routes of the API never authenticate by cookies (docs/adr/0037). */
  cookie: (name: string) => string | undefined;
  requestId: string;
  trace: AccessTrace;
  /** True for HEAD: the body is not sent. */
  headersOnly: boolean;
  /** Counts this request as a long read until it has been handled. @throws Failure rate_limited */
  admitLongRead: () => void;
  /** @throws Failure forbidden if the right to make this request has been revoked in the meantime */
  requireRight: () => void;
  /** Returns a signal that fires when the client disconnects or the server stops. */
  signal: () => AbortSignal;
};

export type RouteInput<P, Q, H, B> = {
  params: OutputOf<P>;
  query: OutputOf<Q>;
  headers: OutputOf<H>;
  body: BodyOf<B>;
  caller: Caller;
};

export type IdentifiedCaller = {
  principal: Principal;
  /** Returns the current principal, because rights can end while a response streams. */
  currentPrincipal: () => Principal;
  refusal?: Failure;
};

/** Response of a handler: exactly one of `json`, `text` and `stream`, or none for an empty body. */
export type RouteResponse = {
  status: number;
  json?: unknown;
  /** Serialised JSON, or text of type `contentType`. */
  text?: string | Buffer;
  /** For a Readable, its creator must check that the right still holds; the pipeline checks all other streams. */
  stream?: AsyncIterable<string | Buffer> | Readable;
  contentType?: string;
  headers?: Record<string, string>;
  /** Fixed headers for files and pages, instead of the API's. No renewed token is sent with these headers. */
  base?: BaseHeaders;
  endsSession?: boolean;
  /** Called when the access log entry is on disk, before the first byte. @throws Failure if the right has ended */
  check?: () => void;
};

/** `P`, `Q`, `H`, `B`: schemas of path, query, headers and body. `R`: responses by status. */
type RouteSpec<
  Method extends string,
  Path extends string,
  P extends Schema | undefined,
  Q extends Schema | undefined,
  H extends Schema | undefined,
  B extends BodySpec | undefined,
  R extends Record<number, ResponseSpec>,
> = {
  method: Method;
  /** `:name` matches one segment, `*name` one or more. Both are percent-decoded before validation. */
  path: Path;
  summary: string;
  description?: string;
  params?: P;
  query?: Q;
  headers?: H;
  body?: B;
  /** Determines the caller from the request instead of its token header. @throws Failure */
  identify?: (input: RouteInput<P, Q, H, B>) => IdentifiedCaller | Promise<IdentifiedCaller>;
  responses: R;
  /** Error codes in addition to the codes that follow from access, input and body. */
  errors?: readonly ErrorCode[];
  beforeSetup?: boolean;
  takesMinutes?: boolean;
  /** True if the request decides who may read or write, or exports data. It is logged even if the owner makes it. */
  ownerDecision?: boolean;
  handler: (input: RouteInput<P, Q, H, B>) => RouteResponse | Promise<RouteResponse>;
};

/** `tag`: heading in the OpenAPI document. */
type RouteGroup<Input> = { tag: string; access: Access<Input> };

type UntypedInput = { params: never; query: never; headers: never; body: never; caller: Caller };

export type Route = Omit<
  RouteSpec<
    string,
    string,
    Schema | undefined,
    Schema | undefined,
    Schema | undefined,
    BodySpec | undefined,
    Record<number, ResponseSpec>
  >,
  'identify' | 'handler'
> &
  RouteGroup<{ params: unknown; query: unknown; body: unknown }> & {
    identify?: (input: UntypedInput) => IdentifiedCaller | Promise<IdentifiedCaller>;
    handler: (input: UntypedInput) => RouteResponse | Promise<RouteResponse>;
  };

/** Excludes 304: the browser handles it, so the typed client never sees it. */
type SuccessBody<R> = {
  [S in Exclude<keyof R, 304>]: R[S] extends { schema: infer X extends Schema } ? z.output<X> : undefined;
}[Exclude<keyof R, 304>];

export type RouteTypes<M, Path, P, Q, B, R> = {
  readonly key: `${M & string} ${Path & string}`;
  readonly params: P extends Schema ? z.input<P> : undefined;
  readonly query: Q extends Schema ? z.input<Q> : undefined;
  readonly body: B extends { schema: infer S extends Schema }
    ? z.input<S>
    : B extends { as: 'bytes' }
      ? Blob
      : undefined;
  readonly response: SuccessBody<R>;
};

export type TypedRoute<T> = Route & { readonly types?: T };

/** Declares a route. The cast erases the handler's types. */
export const route = <
  const M extends string,
  const Path extends string,
  const R extends Record<number, ResponseSpec>,
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  H extends Schema | undefined = undefined,
  const B extends BodySpec | undefined = undefined,
>(
  spec: RouteSpec<M, Path, P, Q, H, B, R> & RouteGroup<{ params: OutputOf<P>; query: OutputOf<Q>; body: BodyOf<B> }>,
): TypedRoute<RouteTypes<M, Path, P, Q, B, R>> => spec as unknown as TypedRoute<RouteTypes<M, Path, P, Q, B, R>>;

/**
 * Creates a function that declares routes with the same tag and access. Headers and errors of a route replace those of
 * the group.
 */
export const createRouteDeclarer =
  <SharedHeaders extends Schema | undefined = undefined>(
    group: RouteGroup<unknown> & { headers?: SharedHeaders; errors?: readonly ErrorCode[] },
  ) =>
  <
    const M extends string,
    const Path extends string,
    const R extends Record<number, ResponseSpec>,
    P extends Schema | undefined = undefined,
    Q extends Schema | undefined = undefined,
    H extends Schema | undefined = SharedHeaders,
    const B extends BodySpec | undefined = undefined,
  >(
    spec: RouteSpec<M, Path, P, Q, H, B, R>,
  ): TypedRoute<RouteTypes<M, Path, P, Q, B, R>> => ({ ...group, ...spec });

export type ApiOf<Routes extends readonly TypedRoute<unknown>[]> = {
  [T in NonNullable<Routes[number]['types']> as T extends { key: infer K extends string } ? K : never]: T;
};

export const json = (status: number, value: unknown, headers?: Record<string, string>): RouteResponse =>
  headers === undefined ? { status, json: value } : { status, json: value, headers };
export const jsonText = (status: number, text: string | Buffer | AsyncGenerator<string | Buffer>): RouteResponse =>
  typeof text === 'string' || Buffer.isBuffer(text) ? { status, text } : { status, stream: text };
/** Returns the response to a HEAD request whose body would be expensive to create. The length is omitted. */
export const headResponse = (status: number): RouteResponse => ({ status, stream: (async function* nothing() {})() });
export const messageResponse = (status: number, text: string): RouteResponse => ({ status, json: { message: text } });
