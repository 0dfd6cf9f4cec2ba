import type { IncomingMessage, RequestListener } from 'node:http';
import { languageOf } from '../../platform/http/request/accept-language.ts';
import { bearerTokenOf } from '../../platform/auth/bearer-token.ts';
import { Failure } from '../../platform/failure.ts';
import type { HttpContext } from '../../platform/http/context.ts';
import { createBasePipeline } from '../../platform/http/base-pipeline.ts';
import { respond } from '../../platform/http/response/writer.ts';
import type { Log } from '../../platform/log.ts';
import { KEY_HEADER, KEY_PARAMETER, PROOF_PARAMETER } from '../../platform/tunnel/protocol.ts';
import { pdaNameSchema } from '../../wire/owner.ts';
import type { RelayAddresses } from '../addresses.ts';
import type { NameClaim, ClaimVerifier } from '../names/claims.ts';
import type { RelayLimits } from '../limits.ts';
import { HEALTH_NAME, isReserved } from '../names/reserved-names.ts';
import { OFFLINE_RETRY_SECONDS, offlinePage, welcomePage, type Page } from './pages.ts';
import type { SessionRegistry } from '../tunnel/session-registry.ts';

const headerText = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const parseTarget = (url: string): { path: string; query: URLSearchParams } => {
  const queryStart = url.indexOf('?');
  return {
    path: queryStart === -1 ? url : url.slice(0, queryStart),
    query: new URLSearchParams(queryStart === -1 ? '' : url.slice(queryStart + 1)),
  };
};

const shuttingDownFailure = (): Failure =>
  new Failure('unavailable', 'This relay is shutting down.', { headers: { 'retry-after': '5' } });

const sendPage = (ctx: HttpContext, { status, html, headers }: Page): Promise<void> =>
  respond(
    ctx,
    { status, text: html, base: new Map(Object.entries(headers)), contentType: 'text/html; charset=utf-8' },
    undefined,
  );

export const createRelayApi = (parts: {
  addresses: RelayAddresses;
  claims: Pick<ClaimVerifier, 'claim' | 'verifyHolder'>;
  sessions: Pick<SessionRegistry, 'find' | 'start' | 'end'>;
  limits: RelayLimits;
  isClosing: () => boolean;
  refusalOf: (request: IncomingMessage) => Failure | undefined;
  log: Log;
}): RequestListener => {
  const { addresses, claims, sessions, limits, isClosing, log } = parts;

  const claimOf = (request: IncomingMessage, url: string): NameClaim => {
    const { path, query } = parseTarget(url);
    const name = pdaNameSchema.safeParse(path.slice(1));
    if (!name.success)
      throw new Failure(
        'invalid_input',
        'Invalid name. Use at most 62 lower-case letters, digits and hyphens, with no hyphen at either end.',
      );
    if (isReserved(name.data)) throw new Failure('invalid_input', 'This name is reserved. Choose another name.');
    return {
      name: name.data,
      // Unmodified localtunnel clients cannot set headers, so they send proof and key in the query.
      token: bearerTokenOf({ authorization: request.headers.authorization }) ?? query.get(PROOF_PARAMETER) ?? undefined,
      key: headerText(request.headers[KEY_HEADER]) ?? query.get(KEY_PARAMETER) ?? undefined,
      address: request.socket.remoteAddress ?? '',
    };
  };

  const respondAsRelay = async (ctx: HttpContext, url: string): Promise<void> => {
    const { req: request, method } = ctx;
    const { path, query } = parseTarget(url);
    const isPublicPath = path === '/' || path === `/${HEALTH_NAME}`;
    const allowedMethods = isPublicPath ? ['GET', 'HEAD'] : ['GET', 'DELETE'];
    if (!allowedMethods.includes(method))
      throw new Failure('method_not_allowed', `${method} is not supported at this address.`, {
        headers: { allow: allowedMethods.join(', ') },
      });
    if (path === '/')
      return sendPage(
        ctx,
        welcomePage(
          { isLocal: addresses.isLocal, host: addresses.host() },
          languageOf(request.headers['accept-language']),
        ),
      );
    if (path === `/${HEALTH_NAME}`) {
      if (isClosing()) throw shuttingDownFailure();
      return respond(ctx, { status: 200, json: { Status: 'OK' } }, undefined);
    }
    if (method === 'GET') {
      const claim = claimOf(request, url);
      if (isClosing()) throw shuttingDownFailure();
      await claims.claim(claim);
      // A client that has disconnected may have claimed the name again. A session started now would end the newer one.
      if (request.socket.destroyed) return undefined;
      const session = sessions.start(claim.name);
      const host = addresses.host();
      const port = Number(/:(\d+)$/u.exec(host)?.[1] ?? (addresses.isLocal ? 80 : 443));
      const pdaUrl = addresses.pdaUrl(claim.name);
      const credentials = { session: session.id, secret: session.secret.toString('base64url') };
      const json = {
        id: claim.name,
        port,
        max_conn_count: limits.connectionsPerName,
        url: pdaUrl,
        ...credentials,
        // A localtunnel client opens all connections in advance and passes only `url` and `cached_url` to its caller.
        ...(query.has(PROOF_PARAMETER) && {
          max_conn_count: limits.localtunnelConnections,
          cached_url: `${pdaUrl}/#${new URLSearchParams(credentials).toString()}`,
        }),
      };
      return respond(ctx, { status: 200, json }, undefined);
    }
    const claim = claimOf(request, url);
    await claims.verifyHolder(claim);
    const hadSession = sessions.end(claim.name, 'ended by its PDA');
    return respond(ctx, { status: 200, json: { id: claim.name, ended: hadSession } }, undefined);
  };

  const redirect = (ctx: HttpContext, base: string, url: string): Promise<void> =>
    respond(ctx, { status: 308, headers: { location: `${base}${url.startsWith('/') ? url : '/'}` } }, undefined);

  const respondOffline = (ctx: HttpContext, name: string): Promise<void> => {
    const { req: request } = ctx;
    if (!/\bapplication\/json\b/u.test(request.headers.accept ?? ''))
      return sendPage(ctx, offlinePage(addresses.pdaHost(name), languageOf(request.headers['accept-language'])));
    throw new Failure('unavailable', 'This PDA is offline.', {
      headers: { 'retry-after': String(OFFLINE_RETRY_SECONDS) },
    });
  };

  const handle = async (ctx: HttpContext): Promise<void> => {
    const { req: request } = ctx;
    const isSecure = 'encrypted' in request.socket;
    const host = (request.headers.host ?? '').toLowerCase();
    const url = request.url ?? '/';
    const name = addresses.nameOf(host);
    // Over plain HTTP, any port is accepted, because such requests are only redirected (except on local domains).
    const isOwn = addresses.isOwnHost(host) || (!isSecure && addresses.isOwnName(host.replace(/:\d+$/u, '')));
    if (isOwn && (isSecure || addresses.isLocal)) return respondAsRelay(ctx, url);
    if (isSecure || (!isOwn && name === undefined))
      throw new Failure('misdirected_request', 'This server does not serve the requested host.');
    if (name === undefined) {
      // A proof sent over plain HTTP is compromised. A redirect would hide that.
      if (request.headers.authorization !== undefined || parseTarget(url).query.has(PROOF_PARAMETER))
        throw new Failure('forbidden', 'Claim names over HTTPS only.');
      return redirect(ctx, addresses.url(), url);
    }
    if (!addresses.isLocal && sessions.find(name) !== undefined) return redirect(ctx, addresses.pdaUrl(name), url);
    return respondOffline(ctx, name);
  };

  const application = createBasePipeline(log);
  application.use(async function connection({ req, res }, next) {
    // One response per connection, because the next request can be for another PDA.
    res.shouldKeepAlive = false;
    // Without includeSubDomains, because PDAs set this header themselves.
    if ('encrypted' in req.socket) res.setHeader('strict-transport-security', 'max-age=31536000');
    const refusal = parts.refusalOf(req);
    if (refusal !== undefined) throw refusal;
    await next();
  });
  application.use(handle);
  return application.callback();
};
