import type { IncomingMessage, RequestListener } from 'node:http';
import { languageOf } from '../platform/accept-language.ts';
import { bearerOf } from '../platform/bearer.ts';
import { Failure } from '../platform/failure.ts';
import type { HttpContext } from '../platform/http/context.ts';
import { createPipeline } from '../platform/http/pipeline.ts';
import { respond } from '../platform/http/respond.ts';
import type { Log } from '../platform/log.ts';
import { KEY_HEADER, KEY_PARAMETER, PROOF_PARAMETER } from '../platform/tunnel-protocol.ts';
import { pdaNameSchema } from '../wire/owner.ts';
import type { Addresses } from './addresses.ts';
import type { Claim } from './claims.ts';
import type { RelayLimits } from './limits.ts';
import { HEALTH, isReserved } from './reserved.ts';
import { OFFLINE_RETRY_SECONDS, offlinePage, welcomePage, type Page } from './pages.ts';
import type { Sessions } from './sessions.ts';

const only = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const parseTarget = (url: string): { path: string; query: URLSearchParams } => {
  const mark = url.indexOf('?');
  return {
    path: mark === -1 ? url : url.slice(0, mark),
    query: new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1)),
  };
};

const sendPage = (ctx: HttpContext, { status, html, headers }: Page): Promise<void> =>
  respond(
    ctx,
    { status, text: html, base: Object.entries(headers).flat(), contentType: 'text/html; charset=utf-8' },
    undefined,
  );

/** The relay's own HTTP API and pages: claims of names, redirects, and the page of a PDA that is offline. */
export const createApi = (parts: {
  addresses: Addresses;
  claims: { claim(claim: Claim): Promise<void>; own(claim: Claim): Promise<void> };
  sessions: Pick<Sessions, 'find' | 'start' | 'end'>;
  limits: RelayLimits;
  isClosing: () => boolean;
  /** Why a connection is refused, whatever it requests. */
  refusalOf: (request: IncomingMessage) => Failure | undefined;
  log: Log;
}): RequestListener => {
  const { addresses, claims, sessions, limits, isClosing, log } = parts;

  const claimOf = (request: IncomingMessage, url: string): Claim => {
    const { path, query } = parseTarget(url);
    const name = pdaNameSchema.safeParse(path.slice(1));
    if (!name.success)
      throw new Failure('invalid_input', 'A name is lower-case letters, digits and inner hyphens, at most 62.');
    if (isReserved(name.data))
      throw new Failure('invalid_input', 'This name has a meaning of its own, and is given to nobody.');
    return {
      name: name.data,
      // A localtunnel client can choose the name that it asks for, and no header.
      token: bearerOf({ authorization: request.headers.authorization }) ?? query.get(PROOF_PARAMETER) ?? undefined,
      key: only(request.headers[KEY_HEADER]) ?? query.get(KEY_PARAMETER) ?? undefined,
      address: request.socket.remoteAddress ?? '',
    };
  };

  const answerOwn = async (ctx: HttpContext, url: string): Promise<void> => {
    const { req: request, method } = ctx;
    const { path, query } = parseTarget(url);
    if (method === 'HEAD' || method === 'GET') {
      if (path === '/')
        return sendPage(ctx, welcomePage(addresses.domain, languageOf(request.headers['accept-language'])));
      if (path === `/${HEALTH}`) {
        if (isClosing()) throw new Failure('unavailable', 'This relay stops.', { headers: { 'retry-after': '5' } });
        return respond(ctx, { status: 200, json: { Status: 'OK' } }, undefined);
      }
    }
    if (method === 'GET') {
      const claim = claimOf(request, url);
      if (isClosing()) throw new Failure('unavailable', 'This relay stops.', { headers: { 'retry-after': '5' } });
      await claims.claim(claim);
      // Given up meanwhile, and perhaps made anew: the session of that one must not end for an answer that nobody hears.
      if (request.socket.destroyed) return undefined;
      const session = sessions.start(claim.name);
      const host = addresses.host();
      const port = Number(/:(\d+)$/u.exec(host)?.[1] ?? (addresses.local ? 80 : 443));
      const pdaUrl = addresses.pdaUrl(claim.name);
      const held = { session: session.id, secret: session.secret.toString('base64url') };
      const json = {
        id: claim.name,
        port,
        max_conn_count: limits.connectionsPerName,
        url: pdaUrl,
        ...held,
        // A localtunnel client opens all its connections at once, and tells its caller of the answer nothing but the two addresses.
        ...(query.has(PROOF_PARAMETER) && {
          max_conn_count: limits.localtunnelConnections,
          cached_url: `${pdaUrl}/#${new URLSearchParams(held).toString()}`,
        }),
      };
      return respond(ctx, { status: 200, json }, undefined);
    }
    if (method === 'DELETE') {
      const claim = claimOf(request, url);
      await claims.own(claim);
      const ended = sessions.end(claim.name, 'its PDA says so');
      return respond(ctx, { status: 200, json: { id: claim.name, ended } }, undefined);
    }
    throw new Failure('method_not_allowed', `${method} does not exist here.`, {
      headers: { allow: 'GET, HEAD, DELETE' },
    });
  };

  const redirect = (ctx: HttpContext, base: string, url: string): Promise<void> =>
    respond(ctx, { status: 308, headers: { location: `${base}${url.startsWith('/') ? url : '/'}` } }, undefined);

  const answerOffline = (ctx: HttpContext, name: string): Promise<void> => {
    const { req: request } = ctx;
    if (!/\bapplication\/json\b/u.test(request.headers.accept ?? ''))
      return sendPage(ctx, offlinePage(addresses.pdaHost(name), languageOf(request.headers['accept-language'])));
    throw new Failure('unavailable', 'This PDA is offline.', {
      headers: { 'retry-after': String(OFFLINE_RETRY_SECONDS) },
    });
  };

  const handle = async (ctx: HttpContext): Promise<void> => {
    const { req: request } = ctx;
    const secure = 'encrypted' in request.socket;
    const host = (request.headers.host ?? '').toLowerCase();
    const url = request.url ?? '/';
    const name = addresses.nameOf(host);
    // The port of a plain address does not matter: the response only redirects.
    const own = addresses.isOwn(host) || (!secure && addresses.isOwnName(host.replace(/:\d+$/u, '')));
    if (own && (secure || addresses.local)) return answerOwn(ctx, url);
    if (secure || (!own && name === undefined))
      throw new Failure('misdirected_request', 'This server does not answer under that name.');
    if (name === undefined) {
      // A proof sent in the clear is lost already; a redirect would hide that.
      if (request.headers.authorization !== undefined || parseTarget(url).query.has(PROOF_PARAMETER))
        throw new Failure('forbidden', 'Names are claimed over TLS only.');
      return redirect(ctx, addresses.url(), url);
    }
    if (!addresses.local && sessions.find(name) !== undefined) return redirect(ctx, addresses.pdaUrl(name), url);
    return answerOffline(ctx, name);
  };

  const application = createPipeline(log);
  application.use(async function connection({ req, res }, next) {
    // One response per connection: the next request on it may be meant for another PDA.
    res.shouldKeepAlive = false;
    // Names below the domain belong to other servers, which send this header themselves.
    if ('encrypted' in req.socket) res.setHeader('strict-transport-security', 'max-age=31536000');
    const refusal = parts.refusalOf(req);
    if (refusal !== undefined) throw refusal;
    await next();
  });
  application.use(handle);
  return application.callback();
};
