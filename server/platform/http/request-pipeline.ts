import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { LARGE_BODY_BYTES } from '../../wire/limits.ts';
import type { AccessRecord } from './access-recorder.ts';
import { checkedAnswer, checkFailure } from './response/response-validation.ts';
import { Failure } from '../failure.ts';
import { asDiskFailure, failureOf } from '../io/file-system.ts';
import { jsonRefused } from '../json/failure.ts';
import { scanValue } from '../json/text.ts';
import { sendContinue } from './response/lingering-close.ts';
import { createLongReads } from '../limits/concurrent-read-limit.ts';
import { decide, mayAtAll, VISITOR, type Principal } from '../auth/principal.ts';
import type { Outgoing } from '../limits/concurrent-response-limit.ts';
import { isLargerThan, isWithoutBody, readBody, refuseLargerThan, requireJson } from './request/body.ts';
import type { HttpContext } from './context.ts';
import { respond, respondWithFailure } from './response/writer.ts';
import type { Match } from './router.ts';
import { bodyMaxBytes, STORAGE, type Answer, type Caller, type Route } from './route.ts';
import type { Strangers } from '../limits/anonymous-limit.ts';
import { parseQuery, validate } from './request/validation.ts';

/** What the token in the request amounts to. */
export type Authentication = {
  principal: Principal;
  renewed: () => Promise<string | undefined> | undefined;
  /** What it amounts to by now: a session can end while a body arrives or an answer streams. */
  current?: () => Principal;
};

/** Parameters of an address, after their check. They are read by many calls and changed by none. */
type Address = { params: unknown; query: unknown };

const NEVER = (): undefined => undefined;
const MAX_KEPT_ADDRESSES = 500;
const MAX_KEPT_URL_CHARS = 500;

/** Stops at the first piece after the caller's rights have ended: a long answer does not outlive them, however slowly it is read. */
async function* whileAllowed(
  stream: AsyncIterable<string | Buffer>,
  allowed: () => boolean,
): AsyncGenerator<string | Buffer> {
  for await (const piece of stream) {
    if (!allowed()) throw new Failure('not_authenticated', 'The rights to this answer have ended.');
    yield piece;
  }
}

const bodyOf = (route: Route, request: IncomingMessage, response: HttpContext['res']): unknown => {
  if (route.body === undefined) return undefined;
  if (route.body.as === 'bytes') {
    refuseLargerThan(request, route.body.maxBytes);
    sendContinue(request, response);
    return request;
  }
  // Where a body may be left out, nothing that was sent needs no content type.
  if (route.body.as === 'json' && isWithoutBody(request) && route.body.schema.safeParse(undefined).success)
    return undefined;
  requireJson(request);
  const maxBytes = bodyMaxBytes(route.body);
  refuseLargerThan(request, maxBytes);
  sendContinue(request, response);
  if (route.body.as === 'json-text') return readBody(request, maxBytes);
  const { schema } = route.body;
  return readBody(request, maxBytes).then((bytes) => {
    // The same strict rules as for stored data: depth is bounded before anything walks it, and no key counts twice.
    const scan = scanValue(bytes);
    if (!scan.ok) throw jsonRefused(scan, 'Nothing was changed.');
    return validate('body', schema, JSON.parse(scan.text), request.headers['accept-language']);
  });
};

/** Characters or bytes of a ready-made answer that a line takes at once, however slow its reader is. */
const AT_ONCE = 65_536;

/** Whether an answer holds memory for as long as its reader likes. */
const isLasting = ({ stream, text }: Answer): boolean =>
  stream !== undefined || (text !== undefined && text.length > AT_ONCE);

/** A request that leads to a route. */
export type RouteCall = Match & {
  ctx: HttpContext;
  caller: Caller;
  token: Pick<Authentication, 'renewed' | 'current'>;
};

/** Answers requests by their routes: with what they take, if the caller may, once the record is made. */
export const createRouteCalls = (parts: {
  record: AccessRecord;
  strict: boolean;
  strangers: Strangers;
  outgoing: Outgoing;
}) => {
  const { record, strict, strangers, outgoing } = parts;

  const longReads = createLongReads();

  /** Checked parameters of the addresses that were called last: a program calls the same few over and over. */
  const addresses = new Map<string, Address>();

  const addressOf = ({ route, params: raw, ctx }: RouteCall): Address => {
    const key = `${route.method} ${ctx.req.url ?? ''}`;
    const known = addresses.get(key);
    if (known !== undefined) return known;
    const language = ctx.req.headers['accept-language'];
    const params = route.params === undefined ? undefined : validate('path', route.params, raw, language);
    const query =
      route.query === undefined ? undefined : validate('query', route.query, parseQuery(ctx.state.search), language);
    const address = { params, query };
    if (key.length <= MAX_KEPT_URL_CHARS) {
      if (addresses.size >= MAX_KEPT_ADDRESSES) addresses.clear();
      addresses.set(key, address);
    }
    return address;
  };

  return async (call: RouteCall): Promise<void> => {
    const { route, ctx, caller } = call;
    const { req: request, res: response } = ctx;
    const from = ctx.state.countedAs;
    // An address that carries its own right may be anybody's: no session is kept alive by it, or handed out.
    const renewed = route.path.startsWith(STORAGE) ? NEVER : call.token.renewed;
    let { current = () => caller.principal } = call.token;
    if (route.identify !== undefined) caller.principal = VISITOR;
    let renewedToken: string | undefined;
    let checked: unknown;
    let endLongRead: (() => void) | undefined;
    let proven: ((isProven: boolean) => void) | undefined;
    caller.longRead = () => {
      endLongRead ??= longReads.begin(caller.principal);
    };
    try {
      if (route.access.want !== 'nothing' && route.identify === undefined && caller.principal.kind === 'visitor') {
        throw new Failure('not_authenticated', 'This needs a valid token in the x-auth-token header.');
      }
      const { params, query } = addressOf(call);
      checked = params;
      // Callers without the right learn nothing about the body, and theirs is not read.
      if (
        route.body !== undefined &&
        route.identify === undefined &&
        !mayAtAll(caller.principal, route.access, { params, query })
      ) {
        const isLarge = isLargerThan(request, LARGE_BODY_BYTES);
        throw new Failure(
          'forbidden',
          'This token does not give that right.',
          isLarge ? { headers: { connection: 'close' } } : {},
        );
      }
      const headers =
        route.headers === undefined
          ? undefined
          : validate('headers', route.headers, request.headers, request.headers['accept-language']);
      if (route.identify !== undefined && from !== '' && isLargerThan(request, LARGE_BODY_BYTES))
        proven = strangers.body(from);
      const body = await bodyOf(route, request, response);
      const input = { params, query, headers, body };
      if (route.identify !== undefined) {
        // As with the handler: the declaration tied it to these very schemas.
        const found = await route.identify({ ...input, caller } as Parameters<typeof route.identify>[0]);
        caller.principal = found.principal;
        proven?.(true);
        proven = undefined;
        if (found.refused !== undefined) throw found.refused;
        current = found.current;
      }
      const mayStill = (): boolean => decide(current(), route.access, input) === 'allowed';
      // Who sends the last byte of a body late has the rights of that moment.
      const principal = route.body === undefined ? caller.principal : current();
      const decision = decide(principal, route.access, input);
      if (decision === 'forbidden') throw new Failure('forbidden', 'This token does not give that right.');
      if (decision === 'not_authenticated') throw new Failure('not_authenticated', 'This needs a valid token.');
      caller.principal = principal;
      renewedToken = await renewed();
      // The next request on this line has the usual time again.
      if (route.takesMinutes === true) request.socket.setTimeout(0);
      // The declaration tied the handler to these very schemas; TypeScript lost sight of it when routes became one list.
      const answer = await route.handler({ ...input, caller } as Parameters<Route['handler']>[0]);
      const sound = strict && !caller.headersOnly ? await checkedAnswer(route, answer) : answer;
      const answered = await record.answered({ route, params, caller }, sound, caller.headersOnly);
      const { stream } = answered;
      if (from !== '' && isLasting(answered) && caller.principal.kind !== 'owner') {
        try {
          outgoing.begin(response, from);
        } catch (error) {
          if (stream instanceof Readable) stream.destroy();
          throw error;
        }
      }
      const looksItself = stream === undefined || stream instanceof Readable;
      const bounded = looksItself ? answered : { ...answered, stream: whileAllowed(stream, mayStill) };
      await respond(ctx, bounded, renewedToken);
    } catch (thrown) {
      // The answer was on its way, and so its record is made.
      if (response.headersSent) throw thrown;
      const error = asDiskFailure(thrown);
      if (strict && error instanceof Failure) checkFailure(route, error);
      await record.refused({ route, params: checked, caller }, failureOf(error));
      if (!(error instanceof Failure)) throw error;
      const withToken = error.status !== 401 && error.status !== 403 && error.status < 500;
      await respondWithFailure(ctx, error, withToken ? (renewedToken ?? (await renewed())) : undefined);
    } finally {
      proven?.(false);
      endLongRead?.();
    }
  };
};
