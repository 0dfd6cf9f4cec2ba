import type { IncomingMessage, ServerResponse } from 'node:http';
import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { SignJWT } from 'jose';
import type { Clock } from '../../server/platform/clock.ts';
import type { Contract, ShortLivedClaims } from '../../server/wire/contracts.ts';
import { respondJson, serve } from './http.ts';

type Key = { kid: string; privateKey: KeyObject; publicKey: KeyObject };

type ReceivedRequest = { method: string; path: string; token: string };

/** Starts a stand-in for the contracts service, with real keys, real HTTP, and the responses that a PDA needs. */
export const startContractsService = async (clock: Clock) => {
  const newKey = (): Key => ({ kid: randomUUID(), ...generateKeyPairSync('rsa', { modulusLength: 2048 }) });
  let keys: Key[] = [newKey()];
  const receivedRequests: ReceivedRequest[] = [];
  const joinedPdas = new Set<string>();
  const state = {
    isDown: false,
    /** Status with which the service refuses joining and leaving; 0 to accept both. */
    refusalStatus: 0,
    /** Descriptions of contracts by id. A string is sent unchanged, as HTML. */
    descriptions: new Map<string, Contract | string>(),
  };

  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = '', url = '' } = request;
    receivedRequests.push({ method, path: url, token: (request.headers.authorization ?? '').replace(/^Bearer /u, '') });
    if (state.isDown) return respondJson(response, 503, {});
    if (url === '/.well-known/jwks.json') {
      const jwks = keys.map(({ kid, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig' }));
      return respondJson(response, 200, { keys: jwks });
    }
    const [, contractId = '', pda] = /^\/v1\/contracts\/([^/]+)(?:\/pdas\/([^/]+))?$/u.exec(url) ?? [];
    if (pda === undefined) {
      const description = state.descriptions.get(contractId);
      if (typeof description === 'string') {
        response.writeHead(200, { 'content-type': 'text/html' });
        response.end(description);
        return;
      }
      return respondJson(response, description === undefined ? 404 : 200, description ?? {});
    }
    if (state.refusalStatus !== 0)
      return respondJson(response, state.refusalStatus, {
        error: 'forbidden',
        message: 'Forbidden',
        cause: 'That name is taken.',
        requestId: 'r',
      });
    const key = `${contractId} ${pda}`;
    if (method === 'PUT') joinedPdas.add(key);
    else joinedPdas.delete(key);
    return respondJson(response, 200, { contractId, pdaName: pda, joined: method === 'PUT', since: clock.now() });
  };

  const { url, close } = await serve(handle);
  const newestKey = (): Key => {
    const key = keys.at(-1);
    if (key === undefined) throw new Error('no key');
    return key;
  };

  return {
    url,
    host: new URL(url).host,
    receivedRequests,
    /** PDAs that joined, as `<contract id> <PDA name>`. */
    joinedPdas,
    state,
    countKeyRequests: (): number => receivedRequests.filter(({ path }) => path === '/.well-known/jwks.json').length,
    newestKey,
    /** Creates a new signing key. @param keepsOldKeys whether tokens signed with earlier keys remain valid */
    rotate(keepsOldKeys = true): void {
      keys = keepsOldKeys ? [...keys, newKey()] : [newKey()];
    },
    /** Issues a short-lived token, as the contracts service does. */
    issueToken(claims: Partial<ShortLivedClaims> = {}, header: { alg?: string; typ?: string; kid?: string } = {}) {
      const key = newestKey();
      const now = Math.floor(clock.now() / 1000);
      return new SignJWT({
        iss: '127.0.0.1',
        sub: 'steps-study',
        namespaces: [{ namespace: 'fitness', read: true, write: true }],
        jti: randomUUID(),
        iat: now,
        exp: now + 900,
        ...claims,
      })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.kid, ...header })
        .sign(key.privateKey);
    },
    close,
  };
};

export type ContractsStandIn = Awaited<ReturnType<typeof startContractsService>>;
