import type { IncomingMessage, ServerResponse } from 'node:http';
import { createAccessRecord, type RecordAccess } from './access-record.ts';
import { callerOf } from './caller.ts';
import { Failure, UNEXPECTED } from './failure.ts';
import { createListener, type Listener } from './listener.ts';
import type { Log } from './log.ts';
import { VISITOR } from './principal.ts';
import { nextRequestId } from './request-id.ts';
import { createRouteCalls, type Authentication } from './route-call.ts';
import type { Route } from './route.ts';
import { createRouter } from './router.ts';
import { PREFLIGHT_HEADERS } from './security-headers.ts';
import { sendFailure } from './send.ts';
import type { StaticFiles } from './static-files.ts';

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

const NOBODY: Authentication = { principal: VISITOR, renewed: () => undefined };

/** "Header `x-auth-token`": the only place where a token is looked for, unless a server says otherwise. */
const headerToken = (request: IncomingMessage): string | undefined => {
  const token = request.headers['x-auth-token'];
  return typeof token === 'string' && token !== '' ? token : undefined;
};

export const createHttpServer = (options: HttpOptions): HttpServer => {
  const { log, strict = false, tokenOf = headerToken, isSetUp = () => true, normalisePath = (path) => path } = options;
  const router = createRouter(options.routes);
  const answerRoute = createRouteCalls({ record: createAccessRecord(options.recordAccess), strict });

  const bearer = (request: IncomingMessage, host: string): Promise<Authentication> | Authentication => {
    const token = tokenOf(request);
    return token === undefined ? NOBODY : options.authenticate(token, host);
  };

  const handle = async (request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> => {
    const host = (request.headers.host ?? '').toLowerCase();
    const cameFrom = listener.cameFrom(request.socket);
    if (!options.isOwnHost(host, request, cameFrom !== undefined)) {
      throw new Failure('misdirected_request', 'This server does not answer under that name.');
    }
    if (options.isOutside?.(host) === true) listener.fromOutside(request.socket);
    const url = request.url ?? '/';
    const mark = url.indexOf('?');
    const path = normalisePath(mark === -1 ? url : url.slice(0, mark));
    const method = request.method === 'HEAD' ? 'GET' : (request.method ?? 'GET');
    const found = router.find(method, path);

    if (found === undefined || 'allowed' in found) {
      if (found !== undefined && method === 'OPTIONS') {
        response.writeHead(204, [...PREFLIGHT_HEADERS, 'allow', found.allowed.join(', ')]);
        response.end();
        return;
      }
      if (found === undefined && method === 'GET' && !path.startsWith('/api') && options.pages !== undefined) {
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
      const { renewed } = await bearer(request, host);
      await sendFailure(response, failure, requestId, await renewed());
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
    const { principal, ...token } = await bearer(request, host);
    caller.principal = principal;
    const search = mark === -1 ? '' : url.slice(mark + 1);
    await answerRoute({ ...found, search, request, response, caller, token });
  };

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
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
    const failure = error instanceof Failure ? error : UNEXPECTED;
    await sendFailure(response, failure, requestId).catch((late: unknown) => {
      log.debug({ requestId, err: late }, 'the caller was gone before the answer');
      response.destroy();
    });
  };

  // Nothing is left that could be thrown: `fail` answers, or cuts the line.
  const listener = createListener((request, response) => void answer(request, response));
  return listener;
};
