import { createHash, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { readPdaToken, verifyPdaToken } from '../../../platform/auth/pda-token.ts';
import { generateSigningKey, toSigningKey } from '../../../platform/auth/signing-keys.ts';
import type { DataPlug } from '../../../wire/data-plugs.ts';
import type { ClaimDetails, Offer } from '../../../wire/offers.ts';
import { serve, type ThirdPartyServer } from '../../../../tests/support/http.ts';
import type { TestClock } from '../../../../tests/support/test-pda.ts';

/** Fake exchange that requests proofs and verifies tokens. Tests can override its responses. */
export type FakeExchange = {
  url: string;
  host: string;
  /** Verified keys of registered PDAs by address. */
  pdas: Map<string, string>;
  applications: unknown[];
  plugs: unknown[];
  offers: Offer[];
  /** Claims by Offer id. */
  claims: Map<string, ClaimDetails>;
  passwords: Map<string, string>;
  /** Method and path of each request, in order. */
  requests: string[];
  /** Handlers that replace the regular ones, by method and path. */
  overrides: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
  proofs: { status: number; body: { token: string; previous?: string } }[];
  token(claims: Record<string, unknown>, key?: { privateKey: KeyObject; kid: string }): Promise<string>;
  close(): Promise<void>;
};

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return chunks.length === 0 ? undefined : (JSON.parse(Buffer.concat(chunks).toString()) as unknown);
};

const CLAIM_PATH = /^\/api\/v2\/offer\/([^/]+)\/claim$/u;

export const startFakeExchange = async (
  clock: { now(): number } | (() => TestClock),
  port?: number,
): Promise<FakeExchange> => {
  const time = { now: () => (typeof clock === 'function' ? clock() : clock).now() };
  const { hash } = await import('@node-rs/argon2');
  const key = toSigningKey({ ...(await generateSigningKey(0)), retired: null });
  const self: Omit<FakeExchange, 'url' | 'host' | 'close'> = {
    pdas: new Map(),
    applications: [],
    plugs: [],
    offers: [],
    claims: new Map(),
    passwords: new Map(),
    requests: [],
    overrides: new Map(),
    proofs: [],
    token: (claims, signingKey = key) => {
      const iat = Math.floor(time.now() / 1000);
      return new SignJWT({ iss: host(), jti: randomUUID(), iat, exp: iat + 300, accessScope: 'exchange', ...claims })
        .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: signingKey.kid })
        .sign(signingKey.privateKey);
    },
  };
  let server: ThirdPartyServer | undefined;
  const host = (): string => new URL(server?.url ?? 'http://x').host;

  const register = async (address: string): Promise<[number, unknown]> => {
    const publicKey = await (await fetch(`http://${address}/publickey`)).text();
    const challenge = randomBytes(32).toString('base64url');
    const response = await fetch(`http://${address}/api/v2.6/exchange/proof`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ challenge }),
    });
    const body = (await response.json()) as { token: string; previous?: string };
    self.proofs.push({ status: response.status, body });
    const check = { resource: host(), accessScope: 'proof', clock: time };
    const isProof = async (token: string | undefined, pem: string): Promise<boolean> => {
      const claims = token === undefined ? undefined : await verifyPdaToken(token, pem, check);
      return claims?.iss === address && claims.challenge === challenge;
    };
    const knownKey = self.pdas.get(address);
    if (response.status !== 200 || !(await isProof(body.token, publicKey)))
      return [400, { cause: 'The proof is invalid.' }];
    if (knownKey !== undefined && knownKey !== publicKey && !(await isProof(body.previous, knownKey)))
      return [403, { cause: 'This address has a different key.' }];
    self.pdas.set(address, publicKey);
    return [200, { message: 'Registered' }];
  };

  const claim = async (offerId: string, address: string): Promise<[number, unknown]> => {
    const offer = self.offers.find((candidate) => candidate.offerId === offerId);
    if (offer === undefined) return [404, { cause: 'There is no such Offer.' }];
    const existing = self.claims.get(offerId);
    if (existing !== undefined) return [200, existing];
    const login = `offer-${offerId}`;
    const password = randomBytes(16).toString('base64url');
    self.passwords.set(login, password);
    const details: ClaimDetails = {
      claim: {
        offerId,
        user: { address, publicKey: self.pdas.get(address) ?? '' },
        relationship: 'claim',
        confirmed: false,
        dataDebitId: `offer-${offerId}-${randomBytes(9).toString('base64url')}`,
        dateCreated: time.now(),
      },
      offer,
      credentials: { login, passwordHash: await hash(password, { memoryCost: 8, timeCost: 1, parallelism: 1 }) },
    };
    self.claims.set(offerId, details);
    return [200, details];
  };

  const respond = async (call: string, request: IncomingMessage): Promise<[number, unknown]> => {
    if (call === 'POST /api/users/registerPda')
      return register(((await bodyOf(request)) as { pdaAddress: string }).pdaAddress);
    if (call === 'GET /api/v2/applications') return [200, self.applications];
    if (call === 'GET /api/v2/offers') return [200, self.offers];
    if (call === 'GET /.well-known/jwks.json')
      return [200, { keys: [{ ...key.publicKey.export({ format: 'jwk' }), kid: key.kid, alg: 'RS256', use: 'sig' }] }];
    const token = String(request.headers['x-auth-token'] ?? '');
    const address = (await readPdaToken(token))?.iss ?? '';
    const publicKey = self.pdas.get(address);
    const check = { resource: host(), accessScope: 'validate', clock: time };
    const isAuthenticated = publicKey !== undefined && (await verifyPdaToken(token, publicKey, check)) !== undefined;
    if (!isAuthenticated) return [401, { cause: 'The token is invalid.' }];
    if (call === 'GET /api/dataplugs') return [200, self.plugs];
    if (call === 'DELETE /api/pdas/self') {
      self.pdas.delete(address);
      return [200, { message: 'Left' }];
    }
    if (call === 'GET /api/pdas/self') {
      const claims = [...self.claims.values()].map(
        ({ claim: { offerId, confirmed, dataDebitId, dateCreated }, offer }) => ({
          offerId,
          title: offer.title,
          confirmed,
          dataDebitId,
          dateCreated,
        }),
      );
      const times = { registered: time.now(), refreshed: time.now(), lastSeen: time.now() };
      return [200, { address, publicKey, ...times, reports: { events: 0, last: null }, claims }];
    }
    const offerId = CLAIM_PATH.exec(call.slice('GET '.length))?.[1];
    return offerId === undefined ? [404, { cause: 'Nothing here.' }] : claim(offerId, address);
  };

  const startedServer = await serve((request, response) => {
    const call = `${request.method} ${(request.url ?? '').split('?')[0]}`;
    self.requests.push(call);
    const override = self.overrides.get(call);
    if (override !== undefined) {
      override(request, response);
      return;
    }
    void respond(call, request).then(
      ([status, body]) => {
        const text = JSON.stringify(body);
        const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
        const isUnchanged = status === 200 && request.headers['if-none-match'] === etag;
        response.writeHead(isUnchanged ? 304 : status, { 'content-type': 'application/json', etag });
        response.end(isUnchanged ? undefined : text);
      },
      (error: unknown) => response.writeHead(500).end(JSON.stringify({ cause: String(error) })),
    );
  }, port);
  server = startedServer;
  return Object.assign(self, { url: startedServer.url, host: host(), close: () => startedServer.close() });
};

export const aPlug = (changes: Partial<DataPlug> = {}): DataPlug => ({
  uuid: randomUUID(),
  providerId: randomUUID(),
  created: '2026-01-01T00:00:00.000Z',
  name: 'Fitbit',
  description: 'Steps and sleep',
  url: 'https://fitbit.example.com/',
  illustrationUrl: 'https://fitbit.example.com/logo.png',
  approved: true,
  connected: true,
  applicationId: 'fitbit',
  ...changes,
});

export const anOffer = (changes: Partial<Offer> = {}): Offer => ({
  offerId: 'steps',
  created: Date.UTC(2026, 0, 1),
  provider: randomUUID(),
  providerName: 'Acme',
  title: 'Your steps',
  description: 'A voucher for a month of steps.',
  starts: Date.UTC(2026, 0, 1),
  expires: Date.UTC(2026, 11, 1),
  collectionDuration: 2_592_000_500,
  requiredData: { name: 'steps', bundle: { steps: { endpoints: [{ endpoint: 'fitness/steps' }] } } },
  requiredMinUser: 1,
  requiredMaxUser: 100,
  status: 'approved',
  ...changes,
});
