import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { LARGE_BODY_BYTES } from '../../wire/limits.ts';
import type { AccessRecorder } from './access-recorder.ts';
import { validateResponse, validateFailure } from './response/response-validation.ts';
import { Failure } from '../failure.ts';
import { asDiskFailure, failureOf } from '../io/file-system.ts';
import { toInvalidJsonFailure } from '../json/failure.ts';
import { scanValueBody } from '../json/body.ts';
import { sendContinue } from './response/lingering-close.ts';
import { createLongReadLimit } from '../limits/long-read-limit.ts';
import { decide, canBeAllowed, ANONYMOUS, type Principal } from '../auth/principal.ts';
import type { ConcurrentResponseLimit } from '../limits/concurrent-response-limit.ts';
import { mayExceed, isWithoutBody, readBody, refuseLargerThan, requireJson } from './request/body.ts';
import type { HttpContext } from './context.ts';
import { respond, respondWithFailure, serializeJson } from './response/writer.ts';
import type { Match } from './router.ts';
import { bodyMaxBytes, STORAGE_PREFIX, type RouteResponse, type Caller, type Route } from './route.ts';
import type { AnonymousLimit } from '../limits/anonymous-limit.ts';
import { parseQuery, validate } from './request/validation.ts';

export type Authentication = {
  principal: Principal;
  /** Renews the token and returns it; undefined if it cannot be renewed. */
  renewToken: () => Promise<string | undefined> | undefined;
  /** Returns the current principal: a session can end while a body arrives or a response streams. */
  currentPrincipal?: () => Principal;
  /** Looks the session up again after a body has arrived, if its state is in a database that other processes change. */
  reauthenticate?: () => Promise<Principal>;
};

/** Validated parameters. Requests share them, so they must not be modified. */
type UrlParameters = { params: unknown; query: unknown };

const noRenewal = (): undefined => undefined;
const MAX_CACHED_PARAMETERS = 500;
const MAX_CACHED_URL_CHARS = 500;

async function* stopWhenForbidden(
  stream: AsyncIterable<string | Buffer>,
  isAllowed: () => boolean,
): AsyncGenerator<string | Buffer> {
  for await (const chunk of stream) {
    if (!isAllowed()) throw new Failure('not_authenticated', 'The right to read this response has ended.');
    yield chunk;
  }
}

const bodyOf = (route: Route, request: IncomingMessage, response: HttpContext['res']): unknown => {
  if (route.body === undefined) return undefined;
  if (route.body.as === 'bytes') {
    refuseLargerThan(request, route.body.maxBytes);
    sendContinue(request, response);
    return request;
  }
  // An empty request needs no content type if the body is optional.
  if (route.body.as === 'json' && isWithoutBody(request) && route.body.schema.safeParse(undefined).success)
    return undefined;
  requireJson(request);
  const maxBytes = bodyMaxBytes(route.body);
  refuseLargerThan(request, maxBytes);
  sendContinue(request, response);
  if (route.body.as === 'json-text') return readBody(request, maxBytes);
  const { schema } = route.body;
  return readBody(request, maxBytes).then(async (bytes) => {
    // Applies the rules for stored data: bounded depth, checked before parsing, and no duplicate keys.
    const scan = await scanValueBody(bytes);
    if (!scan.ok) throw toInvalidJsonFailure(scan, 'Nothing was changed.');
    return validate('body', schema, JSON.parse(scan.text), request.headers['accept-language']);
  });
};

const LARGE_TEXT_CHARS = 65_536;

const occupiesMemory = ({ stream, text }: RouteResponse): boolean =>
  stream !== undefined || (text !== undefined && text.length > LARGE_TEXT_CHARS);

export type RoutedRequest = Match & {
  ctx: HttpContext;
  caller: Caller;
  authentication: Pick<Authentication, 'renewToken' | 'currentPrincipal' | 'reauthenticate'>;
};

export const createRequestPipeline = (parts: {
  accessRecorder: AccessRecorder;
  strict: boolean;
  anonymousLimit: AnonymousLimit;
  responseLimit: ConcurrentResponseLimit;
}) => {
  const { accessRecorder, strict, anonymousLimit, responseLimit } = parts;

  const longReadLimit = createLongReadLimit();

  /** Validated URL parameters by URL, because programs request the same few URLs repeatedly. Cleared when full. */
  const parameterCache = new Map<string, UrlParameters>();

  const parametersOf = ({ route, params: rawParams, ctx }: RoutedRequest): UrlParameters => {
    const key = `${route.method} ${ctx.req.url ?? ''}`;
    const cachedParameters = parameterCache.get(key);
    if (cachedParameters !== undefined) return cachedParameters;
    const language = ctx.req.headers['accept-language'];
    const params = route.params === undefined ? undefined : validate('path', route.params, rawParams, language);
    const query =
      route.query === undefined ? undefined : validate('query', route.query, parseQuery(ctx.state.search), language);
    const parameters = { params, query };
    if (key.length <= MAX_CACHED_URL_CHARS) {
      if (parameterCache.size >= MAX_CACHED_PARAMETERS) parameterCache.clear();
      parameterCache.set(key, parameters);
    }
    return parameters;
  };

  /**
   * Applies the concurrent-response limit, and then writes the access log entry: the entry of a refused request must
   * not state that data was sent.
   * @throws Failure rate_limited, or the failure of the access log or of `response.check`
   */
  const admitAndRecord = async (
    { route, ctx, caller }: RoutedRequest,
    response: RouteResponse,
    params: unknown,
  ): Promise<RouteResponse> => {
    const { countedAddress } = ctx.state;
    try {
      if (countedAddress !== '' && caller.principal.kind !== 'owner' && occupiesMemory(response))
        responseLimit.admit(ctx.res, countedAddress);
      return await accessRecorder.recordResponse({ route, params, caller }, response, caller.headersOnly);
    } catch (error) {
      if (response.stream instanceof Readable) response.stream.destroy();
      throw error;
    }
  };

  return async (routedRequest: RoutedRequest): Promise<void> => {
    const { route, ctx, caller, authentication } = routedRequest;
    const { req: request, res: response } = ctx;
    const clientAddress = ctx.state.countedAddress;
    // Anyone may open a signed URL: it neither renews a session nor returns a token.
    const renewToken = route.path.startsWith(STORAGE_PREFIX) ? noRenewal : authentication.renewToken;
    let currentPrincipal = authentication.currentPrincipal ?? (() => caller.principal);
    if (route.identify !== undefined) caller.principal = ANONYMOUS;
    let renewedToken: string | undefined;
    let validatedParams: unknown;
    let endLongRead: (() => void) | undefined;
    let reportSender: ((isProven: boolean) => void) | undefined;
    caller.admitLongRead = () => {
      endLongRead ??= longReadLimit.admit(caller.principal);
    };
    try {
      if (route.access.auth !== 'public' && route.identify === undefined && caller.principal.kind === 'visitor')
        throw new Failure('not_authenticated', 'This request needs a valid token in the x-auth-token header.');
      const { params, query } = parametersOf(routedRequest);
      validatedParams = params;
      // Without the right, the body is neither read nor validated, so the response reveals nothing about it.
      if (
        route.body !== undefined &&
        route.identify === undefined &&
        !canBeAllowed(caller.principal, route.access, { params, query })
      ) {
        const isLarge = mayExceed(request, LARGE_BODY_BYTES);
        throw new Failure(
          'forbidden',
          'This token does not grant that right.',
          isLarge ? { headers: { connection: 'close' } } : {},
        );
      }
      const headers =
        route.headers === undefined
          ? undefined
          : validate('headers', route.headers, request.headers, request.headers['accept-language']);
      if (route.identify !== undefined && clientAddress !== '' && mayExceed(request, LARGE_BODY_BYTES))
        reportSender = anonymousLimit.admitBody(clientAddress);
      const body = await bodyOf(route, request, response);
      if (route.body !== undefined && route.identify === undefined && authentication.reauthenticate !== undefined)
        caller.principal = await authentication.reauthenticate();
      const input = { params, query, headers, body };
      if (route.identify !== undefined) {
        // Safe cast: the declaration ties `identify` to these schemas.
        const identifiedCaller = await route.identify({ ...input, caller } as Parameters<typeof route.identify>[0]);
        caller.principal = identifiedCaller.principal;
        reportSender?.(true);
        reportSender = undefined;
        if (identifiedCaller.refusal !== undefined) throw identifiedCaller.refusal;
        currentPrincipal = identifiedCaller.currentPrincipal;
      }
      const isStillAllowed = (): boolean => decide(currentPrincipal(), route.access, input) === 'allowed';
      caller.requireRight = () => {
        if (!isStillAllowed()) throw new Failure('forbidden', 'This token does not grant that right any more.');
      };
      // A body can take a minute to arrive, so the rights after its arrival decide.
      const principal = route.body === undefined ? caller.principal : currentPrincipal();
      const decision = decide(principal, route.access, input);
      if (decision === 'forbidden') throw new Failure('forbidden', 'This token does not grant that right.');
      if (decision === 'not_authenticated') throw new Failure('not_authenticated', 'This request needs a valid token.');
      caller.principal = principal;
      renewedToken = await renewToken();
      // Node restores the default timeout for the connection's next request.
      if (route.takesMinutes === true) request.socket.setTimeout(0);
      // Safe cast: the declaration ties the handler to these schemas; the type was erased when routes became a list.
      const routeResponse = await route.handler({ ...input, caller } as Parameters<Route['handler']>[0]);
      const validResponse =
        strict && !caller.headersOnly ? await validateResponse(route, routeResponse) : routeResponse;
      const preparedResponse = serializeJson(validResponse);
      const recordedResponse = await admitAndRecord(routedRequest, preparedResponse, params);
      const { stream } = recordedResponse;
      const boundedResponse =
        stream === undefined || stream instanceof Readable
          ? recordedResponse
          : { ...recordedResponse, stream: stopWhenForbidden(stream, isStillAllowed) };
      await respond(ctx, boundedResponse, renewedToken);
    } catch (caught) {
      // The response has begun, so its access log entry exists.
      if (response.headersSent) throw caught;
      const error = asDiskFailure(caught);
      if (strict && error instanceof Failure) validateFailure(route, error);
      await accessRecorder.recordFailure({ route, params: validatedParams, caller }, failureOf(error));
      if (!(error instanceof Failure)) throw error;
      const canRenewToken = error.status !== 401 && error.status !== 403 && error.status < 500;
      await respondWithFailure(ctx, error, canRenewToken ? (renewedToken ?? (await renewToken())) : undefined);
    } finally {
      reportSender?.(false);
      endLongRead?.();
    }
  };
};
