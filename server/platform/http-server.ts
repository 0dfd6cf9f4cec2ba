import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createAccessRecord, type RecordAccess } from './access-record.ts';
import { callerOf, isLoopback, isPassedOn } from './caller.ts';
import { Failure } from './failure.ts';
import { failureOf } from './file-system.ts';
import { throughOwnProxy } from './forwarded.ts';
import { createListener, type Listener } from './listener.ts';
import type { Log } from './log.ts';
import { createOutgoing } from './outgoing.ts';
import { VISITOR } from './principal.ts';
import { nextRequestId } from './request-id.ts';
import { createRouteCalls, type Authentication } from './route-call.ts';
import { STORAGE, type Route } from './route.ts';
import { createRouter } from './router.ts';
import { PREFLIGHT_HEADERS } from './security-headers.ts';
import { sendFailure } from './send.ts';
import type { StaticFiles } from './static-files.ts';
import { createStrangers } from './strangers.ts';

export type HttpOptions = {
  routes: readonly Route[];
  log: Log;
  /** Who the bearer of this token is; a visitor when the token is no good. */
  authenticate: (token: string, host: string) => Promise<Authentication> | Authentication;
  /**
   * host[:port] under which this server may be addressed, by a line that came in here or one that was handed in (`take`). Anything else is
   * answered 421: it keeps rebound names out.
   */
  isOwnHost: (host: string, request: IncomingMessage, handedIn: boolean) => boolean;
  /** Hosts under which callers come from outside, whatever their line looks like. */
  isOutside?: (host: string) => boolean;
  /** Where the token of a request is; the `x-auth-token` header unless it says otherwise. */
  tokenOf?: (request: IncomingMessage) => string | undefined;
  /** Address of who calls where the line does not tell: behind proxies. */
  addressOf?: (request: IncomingMessage) => string | undefined;
  /** Every line is a proxy's: how many there are is its affair. */
  isBehindProxies?: boolean;
  /** The path that a route is looked for by: an older spelling leads to the same place. */
  normalisePath?: (path: string) => string;
  /** False until there is an owner: then only this machine may call, and only what is meant for that time. */
  isSetUp?: () => boolean;
  /** Why nothing can be served right now, if so. */
  unavailable?: () => { reason: string; retryAfterSeconds: number } | undefined;
  pages?: StaticFiles;
  recordAccess?: RecordAccess;
  /** Holds every answer against its declaration; for tests. */
  strict?: boolean;
};

export type HttpServer = Pick<Listener, 'listen' | 'take' | 'outside' | 'cutOutside' | 'close'>;

const ONLY_TLS = ['strict-transport-security', 'max-age=31536000'] as const;

const NOBODY: Authentication = { principal: VISITOR, renewed: () => undefined };

/** "Header `x-auth-token`": the only place where a token is looked for, unless a server says otherwise. */
const headerToken = (request: IncomingMessage): string | undefined => {
  const token = request.headers['x-auth-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
};

export const createHttpServer = (options: HttpOptions): HttpServer => {
  const { log, strict = false, tokenOf = headerToken, isSetUp = () => true, normalisePath = (path) => path } = options;
  const router = createRouter(options.routes);
  const strangers = createStrangers();
  const outgoing = createOutgoing();
  const answerRoute = createRouteCalls({
    record: createAccessRecord(options.recordAccess),
    strict,
    strangers,
    outgoing,
  });

  /** The address that a call counts for where there are bounds; empty: it comes from this machine itself, and is not counted. */
  const countsFor = (request: IncomingMessage, host: string, cameFrom: string | undefined): string => {
    const address = cameFrom ?? options.addressOf?.(request) ?? request.socket.remoteAddress ?? '';
    if (cameFrom !== undefined || !isLoopback(address, 'localhost')) return address;
    if (isPassedOn(request)) return throughOwnProxy(request) ?? address;
    return isLoopback(address, host) ? '' : address;
  };

  /** Who shows no token that is good is a stranger, whatever is asked for. */
  const bearer = (
    request: IncomingMessage,
    host: string,
    from: string,
    isCounted = true,
  ): Promise<Authentication> | Authentication => {
    const token = tokenOf(request);
    const counted = (found: Authentication): Authentication => {
      if (isCounted && from !== '' && found.principal.kind === 'visitor') strangers.request(from);
      return found;
    };
    if (token === undefined) return counted(NOBODY);
    const found = options.authenticate(token, host);
    return found instanceof Promise ? found.then(counted) : counted(found);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> => {
    const host = (request.headers.host ?? '').toLowerCase();
    const cameFrom = listener.cameFrom(request.socket);
    const from = countsFor(request, host, cameFrom);
    if (!options.isOwnHost(host, request, cameFrom !== undefined)) {
      if (from !== '') strangers.request(from);
      throw new Failure('misdirected_request', 'This server does not answer under that name.');
    }
    // Where TLS ends in this server: whoever was here once by it is never led back to plain HTTP by somebody on their way.
    // A proxy in front of it says so; what a stranger says of plain HTTP counts for nothing in a browser.
    if ((cameFrom !== undefined && 'encrypted' in request.socket) || request.headers['x-forwarded-proto'] === 'https')
      response.setHeader(...ONLY_TLS);
    if (options.isOutside?.(host) === true) listener.fromOutside(request.socket);
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = normalisePath(mark === -1 ? url : url.slice(0, mark));
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
    const found = router.find(method, path);

    if (found === undefined || 'allowed' in found) {
      if (found !== undefined && method === 'OPTIONS') {
        if (from !== '') strangers.request(from);
        response.writeHead(204, [...PREFLIGHT_HEADERS, 'allow', found.allowed.join(', ')]);
        response.end();
        return;
      }
      if (found === undefined && method === 'GET' && !path.startsWith('/api') && options.pages !== undefined) {
        if (from !== '') {
          strangers.request(from);
          outgoing.begin(response, from);
        }
        await options.pages.serve(request, response, path);
        return;
      }
      const failure =
        found === undefined
          ? new Failure('not_found', 'There is nothing at this address.')
          : new Failure('method_not_allowed', `${method} does not exist here.`, {
              headers: { allow: found.allowed.join(', ') },
            });
      // Also a call that leads nowhere keeps a session alive.
      const { renewed } = await bearer(request, host, from);
      await sendFailure(response, failure, requestId, path.startsWith(STORAGE) ? undefined : await renewed());
      return;
    }

    const down = options.unavailable?.();
    if (down !== undefined && path !== '/healthz') {
      throw new Failure('unavailable', down.reason, { headers: { 'retry-after': String(down.retryAfterSeconds) } });
    }
    const signal = (): AbortSignal => listener.signal(request);
    const caller = callerOf(request, { host, requestId, signal, address: cameFrom ?? options.addressOf?.(request) });
    // Whoever comes from outside is not at this machine, whatever their address says.
    if (cameFrom !== undefined) caller.local = false;
    if (!isSetUp()) {
      if (!caller.local && path !== '/healthz')
        throw new Failure('setup_only_local', 'This PDA is not set up yet. Only its own machine can reach it.');
      if (found.route.beforeSetup !== true) throw new Failure('not_set_up', 'This PDA is not set up yet.');
    }
    // Where the call itself carries the credentials, what they amount to is not known yet.
    const { principal, ...token } = await bearer(request, host, from, found.route.identify === undefined);
    caller.principal = principal;
    const search = mark === -1 ? '' : url.slice(mark + 1);
    await answerRoute({ ...found, search, request, response, caller, from, token });
  };

  /** Lines that end with an answer that is on its way. */
  const ended = new WeakSet<Socket>();

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Sent ahead of the answer that ends this line: nobody would read another.
    if (ended.has(request.socket)) return;
    const requestId = nextRequestId();
    try {
      await handle(request, response, requestId);
      if (log.isLevelEnabled('debug'))
        log.debug({ requestId, method: request.method, status: response.statusCode }, 'request');
    } catch (error) {
      await fail(request, response, error, requestId);
    }
  };

  const fail = async (
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    requestId: string,
  ): Promise<void> => {
    if (response.headersSent) {
      // The answer was on its way: cutting the line is the only honest sign that it is not whole.
      const gone = request.socket.destroyed;
      if (!gone) log.error({ requestId, err: error }, 'an answer broke off');
      response.destroy();
      return;
    }
    if (!(error instanceof Failure)) log.error({ requestId, method: request.method, err: error }, 'unexpected failure');
    const failure = failureOf(error);
    if (failure.headers['connection'] === 'close') ended.add(request.socket);
    await sendFailure(response, failure, requestId).catch((late: unknown) => {
      log.debug({ requestId, err: late }, 'the caller was gone before the answer');
      response.destroy();
    });
  };

  // Nothing is left that could be thrown: `fail` answers, or cuts the line.
  const listener = createListener((request, response) => void answer(request, response), {
    isCounted: options.isBehindProxies !== true,
  });
  return listener;
};
