import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import Koa from 'koa';
import { MAX_HEADER_BYTES, MAX_JSON_BODY_BYTES } from '../wire/limits.ts';
import { checkedAnswer, checkFailure } from './answer-check.ts';
import { Failure } from './failure.ts';
import { jsonRefused } from './json/json-failure.ts';
import { scanValue } from './json/json-text.ts';
import type { Log } from './log.ts';
import { decide, VISITOR, type Principal } from './principal.ts';
import { readBody, refuseLargerThan, requireJson } from './request-body.ts';
import type { Answer, Caller, Route } from './route.ts';
import { createRouter } from './router.ts';
import { PREFLIGHT_HEADERS } from './security-headers.ts';
import { send } from './send.ts';
import type { StaticFiles } from './static-files.ts';
import { newTrace } from './trace.ts';
import { parseQuery, validate } from './validate.ts';

// An `import` of this module by name touches all of its exports, and with them Node's own fetch and WebSocket: a tenth of a start.
const { createServer } = process.getBuiltinModule('node:http');

/** What the token in the request amounts to. */
export type Authentication = {
  principal: Principal;
  renewed: () => Promise<string | undefined> | undefined;
  /** What it amounts to by now: a session can end while a body arrives or an answer streams. */
  current?: () => Principal;
};

/** A call as it is about to be answered. */
export type Access = {
  route: Route;
  params: unknown;
  caller: Caller;
  status: number;
  /** Code of the refusal. */
  error: string | null;
  /** Bytes of the answer; null when it streams. */
  bytes: number | null;
};
/** Hears how many bytes a streamed answer had, once it is over. */
export type AccessEnd = (bytes: number) => void;

export type HttpOptions = {
  routes: readonly Route[];
  log: Log;
  /** Who the bearer of this token is; a visitor when the token is no good. */
  authenticate: (token: string, host: string) => Promise<Authentication> | Authentication;
  /** host[:port] under which this server may be addressed. Anything else is answered 421: it keeps rebound names out. */
  isOwnHost: (host: string) => boolean;
  /** False until there is an owner: then only this machine may call, and only what is meant for that time. */
  isSetUp: () => boolean;
  /** Why nothing can be served right now, if so. */
  unavailable?: () => { reason: string; retryAfterSeconds: number } | undefined;
  pages?: StaticFiles;
  /**
   * Makes the record of a call; the answer leaves when that is on the disk. Asked about every call on a route that needs credentials, but
   * not about the owner's own.
   */
  recordAccess?: (access: Access) => Promise<AccessEnd | undefined>;
  /** Holds every answer against its declaration; for tests. */
  strict?: boolean;
};

export type HttpServer = {
  listen(options: { port: number; host: string }): Promise<AddressInfo>;
  /** Lets running requests end, then closes what is idle. */
  close(): Promise<void>;
};

const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/u;
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/u;

/** Milliseconds. Headers that arrive slower than this are an attack or a dead line. */
const HEADERS_TIMEOUT_MS = 15_000;
/** Milliseconds without a byte in either direction after which a line is given up. */
const IDLE_MS = 120_000;
/** Milliseconds in which a caller can still read a refusal while its body is thrown away. */
const UNREAD_MS = 2000;
/** Milliseconds between looks, at a stop, for lines that have become idle. */
const SWEEP_MS = 20;
/** Milliseconds that running requests get at a stop. */
const DRAIN_MS = 3000;

/** Parameters of an address, after their check. They are read by many calls and changed by none. */
type Address = { params: unknown; query: unknown };

const MAX_KEPT_ADDRESSES = 500;
const MAX_KEPT_URL_CHARS = 500;

const UNEXPECTED = new Failure('internal_error', 'Something went wrong on our side.');
const NOBODY: Authentication = { principal: VISITOR, renewed: () => undefined };

const bootId = Math.random().toString(36).slice(2, 8);
let requestCount = 0;
const nextRequestId = (): string => `${bootId}-${(++requestCount).toString(36)}`;

const normalisePath = (path: string): string => (path.startsWith('/api/v2/') ? `/api/v2.6/${path.slice(8)}` : path);

async function* counted(stream: AsyncIterable<string | Buffer>, ended: AccessEnd): AsyncGenerator<string | Buffer> {
  let bytes = 0;
  try {
    for await (const piece of stream) {
      bytes += Buffer.byteLength(piece);
      yield piece;
    }
  } finally {
    ended(bytes);
  }
}

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

export const createHttpServer = (options: HttpOptions): HttpServer => {
  const { log, strict = false } = options;
  const router = createRouter(options.routes);
  /** Answers without an end of their own: a stop ends them, or it would wait for them in vain. */
  const endless = new Set<AbortController>();

  const callerOf = (request: IncomingMessage, principal: Principal, host: string, requestId: string): Caller => {
    const address = request.socket.remoteAddress ?? '';
    return {
      principal,
      address,
      host,
      local: LOOPBACK_ADDRESS.test(address) && LOOPBACK_HOST.test(host),
      userAgent: request.headers['user-agent'] ?? '',
      requestId,
      trace: newTrace(),
      signal: () => {
        const controller = new AbortController();
        endless.add(controller);
        request.socket.once('close', () => {
          endless.delete(controller);
          controller.abort();
        });
        return controller.signal;
      },
    };
  };

  const bodyOf = (route: Route, request: IncomingMessage): unknown => {
    if (route.body === undefined) return undefined;
    if (route.body.as === 'bytes') {
      refuseLargerThan(request, route.body.maxBytes);
      return request;
    }
    requireJson(request);
    if (route.body.as === 'json-text') return readBody(request, MAX_JSON_BODY_BYTES);
    const { schema } = route.body;
    return readBody(request, MAX_JSON_BODY_BYTES).then((bytes) => {
      // The same strict rules as for stored data: depth is bounded before anything walks it, and no key counts twice.
      const scan = scanValue(bytes);
      if (!scan.ok) throw jsonRefused(scan, 'Nothing was changed.');
      return validate('body', schema, JSON.parse(scan.text));
    });
  };

  /** Checked parameters of the addresses that were called last: a program calls the same few over and over. */
  const addresses = new Map<string, Address>();

  const addressOf = (route: Route, rawParams: Record<string, string>, search: string, key: string): Address => {
    const known = addresses.get(key);
    if (known !== undefined) return known;
    const params = route.params === undefined ? undefined : validate('path', route.params, rawParams);
    const query = route.query === undefined ? undefined : validate('query', route.query, parseQuery(search));
    const address = { params, query };
    if (key.length <= MAX_KEPT_URL_CHARS) {
      if (addresses.size >= MAX_KEPT_ADDRESSES) addresses.clear();
      addresses.set(key, address);
    }
    return address;
  };

  const answerRoute = async (
    route: Route,
    rawParams: Record<string, string>,
    search: string,
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    { renewed, current = () => caller.principal }: Pick<Authentication, 'renewed' | 'current'>,
  ): Promise<void> => {
    let renewedToken: string | undefined;
    let checked: unknown;
    try {
      if (route.access.want !== 'nothing' && caller.principal.kind === 'visitor') {
        throw new Failure('not_authenticated', 'This needs a valid token in the x-auth-token header.');
      }
      const { params, query } = addressOf(route, rawParams, search, `${route.method} ${request.url ?? ''}`);
      checked = params;
      const headers = route.headers === undefined ? undefined : validate('headers', route.headers, request.headers);
      const body = await bodyOf(route, request);
      const input = { params, query, headers, body };
      const mayStill = (): boolean => decide(current(), route.access, input) === 'allowed';
      // Who sends the last byte of a body late has the rights of that moment.
      const principal = route.body === undefined ? caller.principal : current();
      const decision = decide(principal, route.access, input);
      if (decision === 'forbidden') throw new Failure('forbidden', 'This token does not give that right.');
      if (decision === 'not_authenticated') throw new Failure('not_authenticated', 'This needs a valid token.');
      caller.principal = principal;
      renewedToken = await renewed();
      // The declaration tied the handler to these very schemas; TypeScript lost sight of it when routes became one list.
      const answer = await route.handler({ ...input, caller } as Parameters<Route['handler']>[0]);
      const sound = strict ? await checkedAnswer(route, answer) : answer;
      const answered = await recorded(sound, route, params, caller, request.method === 'HEAD');
      const { stream } = answered;
      const bounded = stream === undefined ? answered : { ...answered, stream: whileAllowed(stream, mayStill) };
      await send(response, bounded, renewedToken);
    } catch (error) {
      // The answer was on its way, and so its record is made.
      if (response.headersSent) throw error;
      if (strict && error instanceof Failure) checkFailure(route, error);
      if (isRecorded(route, caller)) {
        const { status, code } = error instanceof Failure ? error : UNEXPECTED;
        await options.recordAccess?.({ route, params: checked, caller, status, error: code, bytes: null });
      }
      if (!(error instanceof Failure)) throw error;
      const withToken = error.status !== 401 && error.status !== 403 && error.status < 500;
      await sendFailure(response, error, caller.requestId, withToken ? (renewedToken ?? (await renewed())) : undefined);
    }
  };

  const isRecorded = (route: Route, { principal }: Caller): boolean =>
    principal.kind !== 'owner' && route.access.want !== 'nothing' && options.recordAccess !== undefined;

  /** The answer, once the record of the call is on the disk. */
  const recorded = async (
    answer: Answer,
    route: Route,
    params: unknown,
    caller: Caller,
    headersOnly: boolean,
  ): Promise<Answer> => {
    if (!isRecorded(route, caller)) return answer;
    const { status, stream, text, json } = answer;
    // What is measured is what is sent: an object is written out once, here.
    const body = text ?? (json === undefined ? '' : JSON.stringify(json));
    const bytes = headersOnly ? 0 : stream === undefined ? Buffer.byteLength(body) : null;
    const ended = await options.recordAccess?.({ route, params, caller, status, error: null, bytes });
    if (stream !== undefined) return ended === undefined ? answer : { ...answer, stream: counted(stream, ended) };
    if (json === undefined) return answer;
    const { json: _, ...rest } = answer;
    return { ...rest, text: body };
  };

  const sendFailure = (
    response: ServerResponse,
    failure: Failure,
    requestId: string,
    token?: string,
  ): Promise<void> => {
    // Nobody will read the rest of this body. A caller that drips bytes must not hold the line for it.
    const giveUp = (): void => {
      if (!response.req.complete) response.req.destroy();
    };
    if (!response.req.complete) response.once('finish', () => setTimeout(giveUp, UNREAD_MS).unref());
    return send(response, { status: failure.status, json: failure.toBody(requestId), headers: failure.headers }, token);
  };

  /** Who calls. The header is the only place where a token is looked for. */
  const bearer = (request: IncomingMessage, host: string): Promise<Authentication> | Authentication => {
    const token = request.headers['x-auth-token'];
    return typeof token === 'string' && token !== '' ? options.authenticate(token, host) : NOBODY;
  };

  const handle = async (request: IncomingMessage, response: ServerResponse, requestId: string): Promise<void> => {
    const host = (request.headers.host ?? '').toLowerCase();
    if (!options.isOwnHost(host)) {
      throw new Failure('misdirected_request', 'This server does not answer under that name.');
    }
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
    const visitor = callerOf(request, VISITOR, host, requestId);
    if (!options.isSetUp()) {
      if (!visitor.local && path !== '/healthz')
        throw new Failure('setup_only_local', 'This PDA is not set up yet. Only its own machine can reach it.');
      if (found.route.beforeSetup !== true) throw new Failure('not_set_up', 'This PDA is not set up yet.');
    }
    const { principal, ...token } = await bearer(request, host);
    const caller: Caller = { ...visitor, principal };
    await answerRoute(
      found.route,
      found.params,
      mark === -1 ? '' : url.slice(mark + 1),
      request,
      response,
      caller,
      token,
    );
  };

  const app = new Koa();
  // What goes wrong is in our log, once; Koa would write it to the console as well.
  app.silent = true;
  app.use(async (ctx) => {
    // Koa writes nothing itself: the answer goes out whole, with its headers in one list.
    ctx.respond = false;
    const requestId = nextRequestId();
    try {
      await handle(ctx.req, ctx.res, requestId);
      if (log.isLevelEnabled('debug'))
        log.debug({ requestId, method: ctx.req.method, status: ctx.res.statusCode }, 'request');
    } catch (error) {
      await fail(ctx.req, ctx.res, error, requestId);
    }
  });

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

  const server: Server = createServer(
    // A missing Host is refused like a wrong one, by us and in our words.
    { maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0, requireHostHeader: false },
    app.callback(),
  );
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.timeout = IDLE_MS;
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    if (!socket.writable) return;
    const large = error.code === 'HPE_HEADER_OVERFLOW';
    const failure = large
      ? new Failure('too_large', `Headers are limited to ${MAX_HEADER_BYTES} bytes.`)
      : new Failure('invalid_input', 'This is not an HTTP request.');
    const body = JSON.stringify(failure.toBody(nextRequestId()));
    socket.end(
      `HTTP/1.1 ${failure.status} ${failure.toBody('').message}\r\ncontent-type: application/json; charset=utf-8\r\n` +
        `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
    );
  });

  return {
    listen: ({ port, host }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.off('error', reject);
          resolve(server.address() as AddressInfo);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        if (!server.listening) {
          resolve();
          return;
        }
        const timer = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
        // A line whose answer ends now was promised to be kept for the next request: nobody else would close it.
        const sweep = setInterval(() => server.closeIdleConnections(), SWEEP_MS);
        server.close(() => {
          clearTimeout(timer);
          clearInterval(sweep);
          resolve();
        });
        for (const controller of endless) controller.abort();
      }),
  };
};
