import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ErrorCode } from '../../wire/errors.ts';
import { SMALL_BODY_MAX_BYTES } from '../../wire/limits.ts';
import type { Failure } from '../failure.ts';
import type { Access, Principal } from '../auth/principal.ts';

/**
 * A route is declared once. From the declaration come validation, the permission check, the OpenAPI document and the types
 * of the dashboard's client; in tests an answer that the declaration does not know fails.
 */

/** Before addresses that carry their own right. */
export const STORAGE = '/storage/';

type Schema = z.ZodType;
type Out<S> = S extends Schema ? z.output<S> : undefined;

/** How a route takes its body. */
export type BodySpec =
  /** Parsed and checked. `maxBytes` is `SMALL_BODY_MAX_BYTES` unless it is given. */
  | { as: 'json'; schema: Schema; maxBytes?: number }
  /** JSON that is kept as the text it came in: handed over as bytes, scanned by the room's rules. `schema` is for the document. */
  | { as: 'json-text'; schema: Schema; maxBytes: number }
  /** Anything else, as a stream with a limit in bytes. */
  | { as: 'bytes'; maxBytes: number; contentType: string };

/** Bytes of the largest body that a route accepts. */
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
  /** Absent: an empty answer, or one that is not JSON (then `contentType` says what). */
  schema?: Schema;
  contentType?: string;
};

/** What a call got at, for the record that is made of it. Handlers add to it before they answer. */
export type Trace = {
  /** Records by endpoint: their places (seq), in any order. */
  readonly records: Map<string, number[]>;
  /** Ids of those among them that are not here any more when the call is answered, by place. */
  gone: Map<number, string> | null;
  /** How many more there were that are not named. */
  unnamed: number;
  /** Fields that leave; null: entire records. */
  fields: readonly string[] | null;
  /** The permission that the call rests on, when it is another than the caller's own rights. */
  consent: { kind: 'application' | 'debit' | 'contract'; name: string; detail: string } | null;
};

export type Caller = {
  principal: Principal;
  /** IP address of the socket's other end. */
  address: string;
  /** host[:port] through which the call came: one of our own addresses. */
  host: string;
  /** On this machine itself: loopback socket and loopback host. */
  local: boolean;
  userAgent: string;
  requestId: string;
  trace: Trace;
  /** HEAD: nobody will read what the answer holds. */
  headersOnly: boolean;
  /** Says that this call has to read for long. It counts until the answer is out. @throws Failure rate_limited */
  longRead: () => void;
  /** Fires when the caller has gone. */
  signal: () => AbortSignal;
};

export type RouteInput<P, Q, H, B> = {
  params: Out<P>;
  query: Out<Q>;
  headers: Out<H>;
  body: BodyOf<B>;
  caller: Caller;
};

/** Who calls, as a route found out from the call itself. */
export type Identified = {
  principal: Principal;
  /** Who it is by now: rights can end while an answer streams. */
  current: () => Principal;
  /** Why the call is refused all the same: it is known whose call that was. */
  refused?: Failure;
};

/** What a handler gives back: exactly one of `json`, `text`, `stream`, or nothing of them for an empty answer. */
export type Answer = {
  status: number;
  json?: unknown;
  /** Ready-made JSON (or what `contentType` says). */
  text?: string | Buffer;
  /** A Readable goes out as it is: whoever made it looks to it that the right to it still holds. Everything else is looked after. */
  stream?: AsyncIterable<string | Buffer> | Readable;
  contentType?: string;
  headers?: Record<string, string>;
  /** Fixed headers in place of those of the interface: content that others made. No renewed token goes out with it. */
  base?: readonly string[];
  /** The caller's session ended with this call, so no renewed token goes out. */
  endsSession?: boolean;
  /** Asked once more when the record of the call is on the disk, right before the first byte leaves. @throws Failure when it may not leave any more */
  check?: () => void;
};

export type RouteSpec<
  Method extends string,
  Path extends string,
  P extends Schema | undefined,
  Q extends Schema | undefined,
  H extends Schema | undefined,
  B extends BodySpec | undefined,
  R extends Record<number, ResponseSpec>,
> = {
  method: Method;
  /** `:name` is one segment, `*name` one or more; both are percent-decoded before the schema sees them. */
  path: Path;
  tag: string;
  summary: string;
  description?: string;
  access: Access<{ params: Out<P>; query: Out<Q>; body: BodyOf<B> }>;
  params?: P;
  query?: Q;
  headers?: H;
  body?: B;
  /** Says who calls where the call itself carries the credentials; a token in the header then counts for nothing. @throws Failure */
  identify?: (input: RouteInput<P, Q, H, B>) => Identified | Promise<Identified>;
  responses: R;
  /** Failures of its own, beside those that follow from access, input and body. */
  errors?: readonly ErrorCode[];
  /** Answers while the PDA is not set up yet. */
  beforeSetup?: boolean;
  /** Works for minutes before it answers: the line is not given up because nothing comes. */
  takesMinutes?: boolean;
  handler: (input: RouteInput<P, Q, H, B>) => Answer | Promise<Answer>;
};

/** A route with its types folded away: what the server works with. */
export type Route = {
  method: string;
  path: string;
  tag: string;
  summary: string;
  description?: string;
  access: Access<{ params: unknown; query: unknown; body: unknown }>;
  params?: Schema | undefined;
  query?: Schema | undefined;
  headers?: Schema | undefined;
  body?: BodySpec | undefined;
  identify?: (input: {
    params: never;
    query: never;
    headers: never;
    body: never;
    caller: Caller;
  }) => Identified | Promise<Identified>;
  responses: Record<number, ResponseSpec>;
  errors?: readonly ErrorCode[];
  beforeSetup?: boolean;
  takesMinutes?: boolean;
  handler: (input: {
    params: never;
    query: never;
    headers: never;
    body: never;
    caller: Caller;
  }) => Answer | Promise<Answer>;
};

/** "It is what the caller has" is told to whoever asks by a tag, which this client leaves to the browser. */
type SuccessBody<R> = {
  [S in Exclude<keyof R, 304>]: R[S] extends { schema: infer X extends Schema } ? z.output<X> : undefined;
}[Exclude<keyof R, 304>];

/** What the typed client knows of a route. */
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

/** Declares a route. The only cast of the declaration lives here: the handler's precise types are folded into `Route`. */
export const route = <
  const M extends string,
  const Path extends string,
  const R extends Record<number, ResponseSpec>,
  P extends Schema | undefined = undefined,
  Q extends Schema | undefined = undefined,
  H extends Schema | undefined = undefined,
  const B extends BodySpec | undefined = undefined,
>(
  spec: RouteSpec<M, Path, P, Q, H, B, R>,
): TypedRoute<RouteTypes<M, Path, P, Q, B, R>> => spec as unknown as TypedRoute<RouteTypes<M, Path, P, Q, B, R>>;

/** The map that the dashboard's client is typed by: `"GET /path"` to its input and output. */
export type ApiOf<Routes extends readonly TypedRoute<unknown>[]> = {
  [T in NonNullable<Routes[number]['types']> as T extends { key: infer K extends string } ? K : never]: T;
};

export const json = (status: number, value: unknown, headers?: Record<string, string>): Answer =>
  headers === undefined ? { status, json: value } : { status, json: value, headers };
/** JSON that is written already, at once or piece by piece. */
export const jsonText = (status: number, text: string | Buffer | AsyncGenerator<string | Buffer>): Answer =>
  typeof text === 'string' || Buffer.isBuffer(text) ? { status, text } : { status, stream: text };
/** What a HEAD is answered where the body would be work: how long it is, is not said. */
export const headersAlone = (status: number): Answer => ({ status, stream: (async function* nothing() {})() });
export const message = (status: number, text: string): Answer => ({ status, json: { message: text } });
