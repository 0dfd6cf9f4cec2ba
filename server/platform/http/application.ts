import type { IncomingMessage } from 'node:http';
import compress from 'koa-compress';
import { createAccessRecorder, type RecordAccess } from './access-recorder.ts';
import { callerOf, isForwarded, isLoopback } from '../auth/caller.ts';
import { Failure } from '../failure.ts';
import { createListener, type ConnectionOrigin, type Listener } from './listener.ts';
import type { Log } from '../log.ts';
import { createConcurrentResponseLimit } from '../limits/concurrent-response-limit.ts';
import { ANONYMOUS } from '../auth/principal.ts';
import { rejectRepeatedHost } from './request/host-header.ts';
import { createRequestPipeline, type Authentication } from './request-pipeline.ts';
import { STORAGE_PREFIX, type Route } from './route.ts';
import { PREFLIGHT_HEADERS } from './response/security-headers.ts';
import { createAnonymousLimit } from '../limits/anonymous-limit.ts';
import type { HttpContext, HttpMiddleware, HttpState } from './context.ts';
import { serveDashboard } from './dashboard.ts';
import { respondWithFailure, setBaseHeaders } from './response/writer.ts';
import { createBasePipeline } from './base-pipeline.ts';
import { createRouteTable, refuseMalformedEscapes } from './router.ts';

export type HttpOptions = {
  routes: readonly Route[];
  log: Log;
  authenticate: (token: string, host: string) => Promise<Authentication> | Authentication;
  /**
   * Returns false for a host name that does not belong to this server. Requests for such a host get 421, which prevents
   * DNS rebinding. May throw a Failure with a more specific reason.
   */
  isOwnHost: (host: string, request: IncomingMessage, origin: ConnectionOrigin) => boolean;
  /** Default: the header `x-auth-token`. */
  tokenOf?: (request: IncomingMessage) => string | undefined;
  /** Returns the address that trusted proxies report, if any. Not called for tunnel connections. */
  addressOf?: (request: IncomingMessage, origin: ConnectionOrigin) => string | undefined;
  /** True if all connections come from a proxy that limits the number of connections. */
  isBehindProxies?: boolean;
  normalizePath?: (path: string) => string;
  /**
   * Until there is an owner, only routes with `beforeSetup` work and, except for `/healthz`, only from this machine.
   */
  isSetUp?: () => boolean;
  /** Returns an outage, during which all routes except `/healthz` fail with 503; undefined if there is none. */
  findOutage?: () => { reason: string; retryAfterSeconds: number } | undefined;
  /** Folder of the built dashboard. Without it, no dashboard is served. */
  pages?: string;
  recordAccess?: RecordAccess;
  /** Validates every response against its declaration; for tests. */
  strict?: boolean;
};

export type HttpServer = Pick<
  Listener,
  | 'listen'
  | 'listenPublic'
  | 'closePublic'
  | 'acceptConnection'
  | 'remoteConnectionCount'
  | 'closeRemoteConnections'
  | 'close'
>;

const HSTS_HEADER = ['strict-transport-security', 'max-age=31536000'] as const;
const COMPRESSED_FROM_BYTES = 4096;

const ANONYMOUS_AUTHENTICATION: Authentication = { principal: ANONYMOUS, renewToken: () => undefined };

const headerToken = (request: IncomingMessage): string | undefined => {
  const token = request.headers['x-auth-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
};

export const createHttpApplication = (options: HttpOptions): HttpServer => {
  const { log, strict = false, tokenOf = headerToken, isSetUp = () => true, normalizePath = (path) => path } = options;
  const anonymousLimit = createAnonymousLimit();
  const responseLimit = createConcurrentResponseLimit();
  const runPipeline = createRequestPipeline({
    accessRecorder: createAccessRecorder(options.recordAccess),
    strict,
    anonymousLimit,
    responseLimit,
  });
  const countAnonymous = ({ state }: HttpContext): void => {
    if (state.countedAddress !== '') anonymousLimit.countRequest(state.countedAddress);
  };

  const authenticate = async (ctx: HttpContext, isCounted = true): Promise<Authentication> => {
    const token = tokenOf(ctx.req);
    const authentication =
      token === undefined ? ANONYMOUS_AUTHENTICATION : await options.authenticate(token, ctx.state.host);
    ctx.state.principal = authentication.principal;
    if (isCounted && authentication.principal.kind === 'visitor') countAnonymous(ctx);
    return authentication;
  };

  const countedAddressOf = (
    request: IncomingMessage,
    { host, origin, address }: Pick<HttpState, 'host' | 'origin' | 'address'>,
  ): string => (origin === 'own' && isLoopback(address, host) && !isForwarded(request) ? '' : address);

  const hostCheck: HttpMiddleware = async function hostCheck(ctx, next) {
    const { req, state } = ctx;
    rejectRepeatedHost(req);
    state.host = (req.headers.host ?? '').toLowerCase();
    state.origin = listener.originOf(req.socket);
    state.address =
      listener.relayedAddressOf(req.socket) ?? options.addressOf?.(req, state.origin) ?? req.socket.remoteAddress ?? '';
    state.countedAddress = countedAddressOf(req, state);
    if (!options.isOwnHost(state.host, req, state.origin)) {
      countAnonymous(ctx);
      throw new Failure('misdirected_request', 'This server does not answer to that name.');
    }
    // TLS ends in this server, or in a proxy that reports TLS. Browsers ignore the header over plain HTTP.
    if ((state.origin === 'tunnel' && 'encrypted' in req.socket) || req.headers['x-forwarded-proto'] === 'https')
      ctx.set(...HSTS_HEADER);
    await next();
  };

  const parseTarget: HttpMiddleware = async function parseTarget(ctx, next) {
    const url = ctx.req.url ?? '/';
    const queryStart = url.indexOf('?');
    ctx.state.path = normalizePath(queryStart === -1 ? url : url.slice(0, queryStart));
    ctx.state.search = queryStart === -1 ? '' : url.slice(queryStart + 1);
    await next();
  };

  const compressForRemote = compress({
    threshold: COMPRESSED_FROM_BYTES,
    filter: (type) => type === 'application/json',
    zstd: false,
    deflate: false,
  });
  const compression: HttpMiddleware = async function compression(ctx, next) {
    if (ctx.state.countedAddress === '') await next();
    else await compressForRemote(ctx, next);
  };

  const routeMiddleware = (route: Route): HttpMiddleware =>
    async function declaredRoute(ctx) {
      const { req, state } = ctx;
      refuseMalformedEscapes(state.path);
      const outage = options.findOutage?.();
      if (outage !== undefined && state.path !== '/healthz') {
        throw new Failure('unavailable', outage.reason, {
          headers: { 'retry-after': String(outage.retryAfterSeconds) },
        });
      }
      const { host, requestId: id, origin, address } = state;
      const signal = (): AbortSignal => listener.signal(req);
      const cookie = (name: string): string | undefined => ctx.cookies.get(name);
      const caller = callerOf(req, { host, requestId: id, signal, cookie, origin, address });
      if (!isSetUp()) {
        if (!caller.local && state.path !== '/healthz')
          throw new Failure('setup_only_local', 'This PDA is not set up yet. Only its own machine can reach it.');
        if (route.beforeSetup !== true) throw new Failure('not_set_up', 'This PDA is not set up yet.');
      }
      // A route with `identify` reads other credentials, so a request without the token header may not be anonymous.
      const authentication = await authenticate(ctx, route.identify === undefined);
      caller.principal = authentication.principal;
      const params = (ctx['params'] ?? {}) as Record<string, string>;
      await runPipeline({ route, params, ctx, caller, authentication });
      state.principal = caller.principal;
    };
  const table = createRouteTable(options.routes, routeMiddleware);

  const preflight: HttpMiddleware = async function preflight(ctx, next) {
    const allowedMethods = ctx.method === 'OPTIONS' ? table.allowedMethods(ctx) : [];
    if (allowedMethods.length === 0) {
      await next();
      return;
    }
    countAnonymous(ctx);
    setBaseHeaders(ctx, PREFLIGHT_HEADERS);
    ctx.set('allow', allowedMethods.join(', '));
    ctx.status = 204;
  };

  const dashboard: HttpMiddleware = async function dashboard(ctx, next) {
    const { method, state } = ctx;
    const isPage = (method === 'GET' || method === 'HEAD') && /^\/(?!api(?:\/|$))/u.test(state.path);
    if (options.pages === undefined || !isPage || table.allowedMethods(ctx).length > 0) {
      await next();
      return;
    }
    if (state.countedAddress !== '') {
      countAnonymous(ctx);
      responseLimit.admit(ctx.res, state.countedAddress);
    }
    await serveDashboard(ctx, options.pages);
  };

  const notFound: HttpMiddleware = async function notFound(ctx) {
    const allowedMethods = table.allowedMethods(ctx);
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const failure =
      allowedMethods.length === 0
        ? new Failure('not_found', 'There is nothing at this address.')
        : new Failure('method_not_allowed', `${method} is not supported at this address.`, {
            headers: { allow: allowedMethods.join(', ') },
          });
    // Unmatched requests also renew a session.
    const { renewToken } = await authenticate(ctx);
    await respondWithFailure(ctx, failure, ctx.state.path.startsWith(STORAGE_PREFIX) ? undefined : await renewToken());
  };

  const application = createBasePipeline(log);
  application
    .use(hostCheck)
    .use(parseTarget)
    .use(compression)
    .use(table.middleware)
    .use(preflight)
    .use(dashboard)
    .use(notFound);
  const listener = createListener(application.callback(), { isCounted: options.isBehindProxies !== true });
  return listener;
};
