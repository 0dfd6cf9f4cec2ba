import type { IncomingMessage, ServerResponse } from 'node:http';
import { languageOf } from '../platform/accept-language.ts';
import { bearerOf } from '../platform/bearer.ts';
import { Failure } from '../platform/failure.ts';
import { failureOf } from '../platform/file-system.ts';
import type { Log } from '../platform/log.ts';
import { nextRequestId } from '../platform/request-id.ts';
import { send, sendFailure } from '../platform/send.ts';
import { KEY_HEADER } from '../platform/tunnel-protocol.ts';
import { pdaNameSchema } from '../wire/owner.ts';
import type { Addresses } from './addresses.ts';
import type { Claim } from './claims.ts';
import type { RelayLimits } from './limits.ts';
import { HEALTH, isReserved } from './reserved.ts';
import { OFFLINE_RETRY_SECONDS, offlinePage, welcomePage, type Page } from './pages.ts';
import type { Sessions } from './sessions.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse, secure: boolean) => void;

const only = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;

const sendPage = (response: ServerResponse, { status, html, headers }: Page): Promise<void> =>
  send(
    response,
    { status, text: html, base: Object.entries(headers).flat(), contentType: 'text/html; charset=utf-8' },
    undefined,
  );

/** Everything that the relay says in HTTP of its own: claims, redirects, and that somebody is not there. */
export const createApi = (parts: {
  addresses: Addresses;
  claims: { claim(claim: Claim): Promise<void>; own(claim: Claim): Promise<void> };
  sessions: Pick<Sessions, 'find' | 'start' | 'end'>;
  limits: RelayLimits;
  isClosing: () => boolean;
  log: Log;
}): Handler => {
  const { addresses, claims, sessions, limits, isClosing, log } = parts;

  const claimOf = (request: IncomingMessage, path: string): Claim => {
    const name = pdaNameSchema.safeParse(path.slice(1));
    if (!name.success)
      throw new Failure('invalid_input', 'A name is lower-case letters, digits and inner hyphens, at most 62.');
    if (isReserved(name.data))
      throw new Failure('invalid_input', 'This name has a meaning of its own, and is given to nobody.');
    return {
      name: name.data,
      token: bearerOf({ authorization: request.headers.authorization }),
      key: only(request.headers[KEY_HEADER]),
      address: request.socket.remoteAddress ?? '',
    };
  };

  const answerOwn = async (request: IncomingMessage, response: ServerResponse, path: string): Promise<void> => {
    const { method = 'GET' } = request;
    if (method === 'HEAD' || method === 'GET') {
      if (path === '/')
        return sendPage(response, welcomePage(addresses.domain, languageOf(request.headers['accept-language'])));
      if (path === `/${HEALTH}`) {
        if (isClosing()) throw new Failure('unavailable', 'This relay stops.', { headers: { 'retry-after': '5' } });
        return send(response, { status: 200, json: { Status: 'OK' } }, undefined);
      }
    }
    if (method === 'GET') {
      const claim = claimOf(request, path);
      if (isClosing()) throw new Failure('unavailable', 'This relay stops.', { headers: { 'retry-after': '5' } });
      await claims.claim(claim);
      // Given up meanwhile, and perhaps made anew: the session of that one must not end for an answer that nobody hears.
      if (request.socket.destroyed) return undefined;
      const session = sessions.start(claim.name);
      const host = addresses.host();
      const port = Number(/:(\d+)$/u.exec(host)?.[1] ?? (addresses.local ? 80 : 443));
      const json = {
        id: claim.name,
        port,
        max_conn_count: limits.connectionsPerName,
        url: addresses.pdaUrl(claim.name),
        session: session.id,
        secret: session.secret.toString('base64url'),
      };
      return send(response, { status: 200, json }, undefined);
    }
    if (method === 'DELETE') {
      const claim = claimOf(request, path);
      await claims.own(claim);
      const ended = sessions.end(claim.name, 'its PDA says so');
      return send(response, { status: 200, json: { id: claim.name, ended } }, undefined);
    }
    throw new Failure('method_not_allowed', `${method} does not exist here.`, {
      headers: { allow: 'GET, HEAD, DELETE' },
    });
  };

  const redirect = (response: ServerResponse, base: string, url: string): Promise<void> =>
    send(response, { status: 308, headers: { location: `${base}${url.startsWith('/') ? url : '/'}` } }, undefined);

  const answerOffline = (request: IncomingMessage, response: ServerResponse, name: string): Promise<void> => {
    if (!/\bapplication\/json\b/u.test(request.headers.accept ?? ''))
      return sendPage(response, offlinePage(addresses.pdaHost(name), languageOf(request.headers['accept-language'])));
    throw new Failure('unavailable', 'This PDA is offline.', {
      headers: { 'retry-after': String(OFFLINE_RETRY_SECONDS) },
    });
  };

  const handle = async (request: IncomingMessage, response: ServerResponse, secure: boolean): Promise<void> => {
    const host = (request.headers.host ?? '').toLowerCase();
    const url = request.url ?? '/';
    const name = addresses.nameOf(host);
    // Which port stands in a plain address does not matter: it only says where to go instead.
    const own = addresses.isOwn(host) || (!secure && addresses.isOwnName(host.replace(/:\d+$/u, '')));
    if (own && (secure || addresses.local)) return answerOwn(request, response, url.split('?', 1)[0] ?? '/');
    if (secure || (!own && name === undefined))
      throw new Failure('misdirected_request', 'This server does not answer under that name.');
    if (name === undefined) {
      // A proof in the clear is lost already; an answer would make it look as if all were well.
      if (request.headers.authorization !== undefined)
        throw new Failure('forbidden', 'Names are claimed over TLS only.');
      return redirect(response, addresses.url(), url);
    }
    if (!addresses.local && sessions.find(name) !== undefined) return redirect(response, addresses.pdaUrl(name), url);
    return answerOffline(request, response, name);
  };

  const answer = async (request: IncomingMessage, response: ServerResponse, secure: boolean): Promise<void> => {
    // Each line is for one answer: what comes next on it may be for somebody else.
    response.shouldKeepAlive = false;
    // Names below it are other servers', which say so for themselves.
    if (secure) response.setHeader('strict-transport-security', 'max-age=31536000');
    const requestId = nextRequestId();
    try {
      await handle(request, response, secure);
    } catch (error) {
      if (!(error instanceof Failure)) log.error({ requestId, err: error }, 'unexpected failure');
      const failure = failureOf(error);
      await sendFailure(response, failure, requestId).catch((late: unknown) => {
        log.debug({ requestId, err: late }, 'the caller was gone before the answer');
        response.destroy();
      });
    }
  };

  return (request, response, secure) => void answer(request, response, secure);
};
