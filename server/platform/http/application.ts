import type { IncomingMessage } from 'node:http';
import compress from 'koa-compress';
import { createAccessRecord, type RecordAccess } from './access-recorder.ts';
import { callerOf, isForwarded, isLoopback } from '../auth/caller.ts';
import { Failure } from '../failure.ts';
import { createListener, type ConnectionOrigin, type Listener } from './listener.ts';
import type { Log } from '../log.ts';
import { createOutgoing } from '../limits/concurrent-response-limit.ts';
import { VISITOR } from '../auth/principal.ts';
import { rejectRepeatedHost } from './request/host-header.ts';
import { createRouteCalls, type Authentication } from './request-pipeline.ts';
import { STORAGE, type Route } from './route.ts';
import { PREFLIGHT_HEADERS } from './response/security-headers.ts';
import { createStrangers } from '../limits/anonymous-limit.ts';
import type { HttpContext, HttpMiddleware, HttpState } from './context.ts';
import { serveDashboard } from './dashboard.ts';
import { respondWithFailure, setBaseHeaders } from './response/writer.ts';
import { createPipeline } from './base-pipeline.ts';
import { createRouteTable, refuseMalformedEscapes } from './router.ts';

export type HttpOptions = {
  routes: readonly Route[];
  log: Log;
  /** Who the bearer of this token is; anonymous when the token is invalid. */
  authenticate: (token: string, host: string) => Promise<Authentication> | Authentication;
  /**
   * Whether this server may be addressed as host[:port] by a connection of this origin. Any other host is answered 421, which keeps DNS rebinding out.
   * May throw a Failure that says more.
   */
  isOwnHost: (host: string, request: IncomingMessage, origin: ConnectionOrigin) => boolean;
  /** Where the token of a request is; the `x-auth-token` header by default. */
  tokenOf?: (request: IncomingMessage) => string | undefined;
  /** Address of the caller as trusted proxies report it; undefined: the connection's. Not asked for connections of the tunnel. */
  addressOf?: (request: IncomingMessage, origin: ConnectionOrigin) => string | undefined;
  /** Every connection comes from a proxy, which bounds their number itself. */
  isBehindProxies?: boolean;
  /** The path that routes are matched by: maps older spellings to the current one. */
  normalisePath?: (path: string) => string;
  /** False until there is an owner: then only this machine may call, and only routes that declare `beforeSetup`. */
  isSetUp?: () => boolean;
  /** Why nothing can be served right now, if so. */
  unavailable?: () => { reason: string; retryAfterSeconds: number } | undefined;
  /** Folder of the built dashboard. */
  pages?: string;
  recordAccess?: RecordAccess;
  /** Validates every response against its declaration; for tests. */
  strict?: boolean;
};

export type HttpServer = Pick<
  Listener,
  'listen' | 'listenPublic' | 'closePublic' | 'take' | 'outside' | 'cutOutside' | 'close'
>;

const HSTS = ['strict-transport-security', 'max-age=31536000'] as const;
/** Bytes of a JSON response from which it is compressed for callers elsewhere. */
const COMPRESSED_FROM_BYTES = 4096;

const ANONYMOUS: Authentication = { principal: VISITOR, renewed: () => undefined };

/** "Header `x-auth-token`": the only place where a token is read from, unless a server says otherwise. */
const headerToken = (request: IncomingMessage): string | undefined => {
  const token = request.headers['x-auth-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
};

/** One Koa application with its listener: the HTTP side of every server of ours. */
export const createHttpApplication = (options: HttpOptions): HttpServer => {
  const { log, strict = false, tokenOf = headerToken, isSetUp = () => true, normalisePath = (path) => path } = options;
  const strangers = createStrangers();
  const outgoing = createOutgoing();
  const answerRoute = createRouteCalls({
    record: createAccessRecord(options.recordAccess),
    strict,
    strangers,
    outgoing,
  });
  const countAnonymous = ({ state }: HttpContext): void => {
    if (state.countedAs !== '') strangers.request(state.countedAs);
  };

  const authenticate = async (ctx: HttpContext, isCounted = true): Promise<Authentication> => {
    const token = tokenOf(ctx.req);
    const found = token === undefined ? ANONYMOUS : await options.authenticate(token, ctx.state.host);
    ctx.state.principal = found.principal;
    if (isCounted && found.principal.kind === 'visitor') countAnonymous(ctx);
    return found;
  };

  /** The address that a request counts for; empty when it comes from this machine itself. */
  const countedAs = (
    request: IncomingMessage,
    { host, origin, address }: Pick<HttpState, 'host' | 'origin' | 'address'>,
  ): string => (origin === 'own' && isLoopback(address, host) && !isForwarded(request) ? '' : address);

  const hostCheck: HttpMiddleware = async function hostCheck(ctx, next) {
    const { req, state } = ctx;
    rejectRepeatedHost(req);
    state.host = (req.headers.host ?? '').toLowerCase();
    state.origin = listener.origin(req.socket);
    state.address =
      listener.cameFrom(req.socket) ?? options.addressOf?.(req, state.origin) ?? req.socket.remoteAddress ?? '';
    state.countedAs = countedAs(req, state);
    if (!options.isOwnHost(state.host, req, state.origin)) {
      countAnonymous(ctx);
      throw new Failure('misdirected_request', 'This server does not answer under that name.');
    }
    // Where TLS ends in this server, or in a proxy that says so. Browsers ignore the header over plain HTTP.
    if ((state.origin === 'tunnel' && 'encrypted' in req.socket) || req.headers['x-forwarded-proto'] === 'https')
      ctx.set(...HSTS);
    await next();
  };

  const parseTarget: HttpMiddleware = async function parseTarget(ctx, next) {
    const url = ctx.req.url ?? '/';
    const mark = url.indexOf('?');
    ctx.state.path = normalisePath(mark === -1 ? url : url.slice(0, mark));
    ctx.state.search = mark === -1 ? '' : url.slice(mark + 1);
    await next();
  };

  const compressForRemote = compress({
    threshold: COMPRESSED_FROM_BYTES,
    filter: (type) => type === 'application/json',
    zstd: false,
    deflate: false,
  });
  const compression: HttpMiddleware = async function compression(ctx, next) {
    if (ctx.state.countedAs === '') await next();
    else await compressForRemote(ctx, next);
  };

  /** The pipeline of a declared route: availability, set-up gate, authentication, then its own steps. */
  const routeMiddleware = (route: Route): HttpMiddleware =>
    async function declaredRoute(ctx) {
      const { req, state } = ctx;
      refuseMalformedEscapes(state.path);
      const down = options.unavailable?.();
      if (down !== undefined && state.path !== '/healthz') {
        throw new Failure('unavailable', down.reason, { headers: { 'retry-after': String(down.retryAfterSeconds) } });
      }
      const { host, requestId: id, origin, address } = state;
      const signal = (): AbortSignal => listener.signal(req);
      const caller = callerOf(req, { host, requestId: id, signal, origin, address });
      if (!isSetUp()) {
        if (!caller.local && state.path !== '/healthz')
          throw new Failure('setup_only_local', 'This PDA is not set up yet. Only its own machine can reach it.');
        if (route.beforeSetup !== true) throw new Failure('not_set_up', 'This PDA is not set up yet.');
      }
      // A route that identifies its caller by the request itself counts anonymous callers after that.
      const { principal, ...token } = await authenticate(ctx, route.identify === undefined);
      caller.principal = principal;
      const params = (ctx['params'] ?? {}) as Record<string, string>;
      await answerRoute({ route, params, ctx, caller, token });
      state.principal = caller.principal;
    };
  const table = createRouteTable(options.routes, routeMiddleware);

  const preflight: HttpMiddleware = async function preflight(ctx, next) {
    const allowed = ctx.method === 'OPTIONS' ? table.allowedMethods(ctx) : [];
    if (allowed.length === 0) {
      await next();
      return;
    }
    countAnonymous(ctx);
    setBaseHeaders(ctx, PREFLIGHT_HEADERS);
    ctx.set('allow', allowed.join(', '));
    ctx.status = 204;
  };

  const dashboard: HttpMiddleware = async function dashboard(ctx, next) {
    const { method, state } = ctx;
    const isPage = (method === 'GET' || method === 'HEAD') && /^\/(?!api(?:\/|$))/u.test(state.path);
    if (options.pages === undefined || !isPage || table.allowedMethods(ctx).length > 0) {
      await next();
      return;
    }
    if (state.countedAs !== '') {
      countAnonymous(ctx);
      outgoing.begin(ctx.res, state.countedAs);
    }
    await serveDashboard(ctx, options.pages);
  };

  const notFound: HttpMiddleware = async function notFound(ctx) {
    const allowed = table.allowedMethods(ctx);
    const method = ctx.method === 'HEAD' ? 'GET' : ctx.method;
    const failure =
      allowed.length === 0
        ? new Failure('not_found', 'There is nothing at this address.')
        : new Failure('method_not_allowed', `${method} does not exist here.`, {
            headers: { allow: allowed.join(', ') },
          });
    // A request that leads nowhere keeps a session alive, too.
    const { renewed } = await authenticate(ctx);
    await respondWithFailure(ctx, failure, ctx.state.path.startsWith(STORAGE) ? undefined : await renewed());
  };

  const application = createPipeline(log);
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
