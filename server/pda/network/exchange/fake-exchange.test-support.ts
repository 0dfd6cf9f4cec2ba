import { createHash, randomBytes, randomUUID, type KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { readPdaToken, verifyPdaToken } from '../../../platform/auth/pda-token.ts';
import { newKey, toSigningKey } from '../../../platform/auth/signing-keys.ts';
import type { DataPlug } from '../../../wire/data-plugs.ts';
import type { ClaimDetails, Offer } from '../../../wire/offers.ts';
import { serve, type FarServer } from '../../../../tests/support/http.ts';
import type { TestClock } from '../../../../tests/support/test-pda.ts';

/** An exchange as far as a PDA meets it: asks for the proof, checks tokens, keeps what it was sent. It lies when it is told to. */
export type StandIn = {
  url: string;
  host: string;
  /** PDAs by address, with the key that proved it. */
  pdas: Map<string, string>;
  applications: unknown[];
  plugs: unknown[];
  offers: Offer[];
  /** Claims by Offer. */
  claims: Map<string, ClaimDetails>;
  /** Plain passwords of claims by login. */
  passwords: Map<string, string>;
  /** What came in, in order: method and path. */
  calls: string[];
  /** Answers of its own for a method and path, in place of the right ones. */
  lies: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
  /** Proofs as they were answered. */
  proofs: { status: number; body: { token: string; previous?: string } }[];
  token(claims: Record<string, unknown>, key?: { privateKey: KeyObject; kid: string }): Promise<string>;
  close(): Promise<void>;
};

const bodyOf = async (request: IncomingMessage): Promise<unknown> => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return parts.length === 0 ? undefined : (JSON.parse(Buffer.concat(parts).toString()) as unknown);
};

const CLAIM = /^\/api\/v2\/offer\/([^/]+)\/claim$/u;

export const startStandIn = async (clock: { now(): number } | (() => TestClock), port?: number): Promise<StandIn> => {
  const time = { now: () => (typeof clock === 'function' ? clock() : clock).now() };
  const { hash } = await import('@node-rs/argon2');
  const key = toSigningKey({ ...(await newKey(0)), retired: null });
  const self: Omit<StandIn, 'url' | 'host' | 'close'> = {
    pdas: new Map(),
    applications: [],
    plugs: [],
    offers: [],
    claims: new Map(),
    passwords: new Map(),
    calls: [],
    lies: new Map(),
    proofs: [],
    token: (claims, by = key) => {
      const iat = Math.floor(time.now() / 1000);
      return new SignJWT({ iss: host(), jti: randomUUID(), iat, exp: iat + 300, accessScope: 'exchange', ...claims })
        .setProtectedHeader({ typ: 'JWT', alg: 'RS256', kid: by.kid })
        .sign(by.privateKey);
    },
  };
  let far: FarServer | undefined;
  const host = (): string => new URL(far?.url ?? 'http://x').host;

  const register = async (address: string): Promise<[number, unknown]> => {
    const publicKey = await (await fetch(`http://${address}/publickey`)).text();
    const challenge = randomBytes(32).toString('base64url');
    const answer = await fetch(`http://${address}/api/v2.6/exchange/proof`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ challenge }),
    });
    const body = (await answer.json()) as { token: string; previous?: string };
    self.proofs.push({ status: answer.status, body });
    const check = { resource: host(), accessScope: 'proof', clock: time };
    const holds = async (token: string | undefined, pem: string): Promise<boolean> => {
      const claims = token === undefined ? undefined : await verifyPdaToken(token, pem, check);
      return claims?.iss === address && claims.challenge === challenge;
    };
    const before = self.pdas.get(address);
    if (answer.status !== 200 || !(await holds(body.token, publicKey))) return [400, { cause: 'No PDA proved that.' }];
    if (before !== undefined && before !== publicKey && !(await holds(body.previous, before)))
      return [403, { cause: 'This address has another key.' }];
    self.pdas.set(address, publicKey);
    return [200, { message: 'Registered' }];
  };

  const claim = async (offerId: string, address: string): Promise<[number, unknown]> => {
    const offer = self.offers.find((one) => one.offerId === offerId);
    if (offer === undefined) return [404, { cause: 'There is no such Offer.' }];
    const known = self.claims.get(offerId);
    if (known !== undefined) return [200, known];
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

  const answerOf = async (call: string, request: IncomingMessage): Promise<[number, unknown]> => {
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
    const isTheirs = publicKey !== undefined && (await verifyPdaToken(token, publicKey, check)) !== undefined;
    if (!isTheirs) return [401, { cause: 'Who are you?' }];
    if (call === 'GET /api/dataplugs') return [200, self.plugs];
    if (call === 'DELETE /api/pdas/self') {
      self.pdas.delete(address);
      return [200, { message: 'Left' }];
    }
    if (call === 'GET /api/pdas/self') {
      const claims = [...self.claims.values()].map(({ claim: one, offer }) => ({
        offerId: one.offerId,
        title: offer.title,
        confirmed: one.confirmed,
        dataDebitId: one.dataDebitId,
        dateCreated: one.dateCreated,
      }));
      const times = { registered: time.now(), refreshed: time.now(), lastSeen: time.now() };
      return [200, { address, publicKey, ...times, reports: { events: 0, last: null }, claims }];
    }
    const offerId = CLAIM.exec(call.slice('GET '.length))?.[1];
    return offerId === undefined ? [404, { cause: 'Nothing here.' }] : claim(offerId, address);
  };

  const listen = await serve((request, response) => {
    const call = `${request.method} ${(request.url ?? '').split('?')[0]}`;
    self.calls.push(call);
    const lie = self.lies.get(call);
    if (lie !== undefined) {
      lie(request, response);
      return;
    }
    void answerOf(call, request).then(
      ([status, body]) => {
        const text = JSON.stringify(body);
        const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
        const same = status === 200 && request.headers['if-none-match'] === etag;
        response.writeHead(same ? 304 : status, { 'content-type': 'application/json', etag });
        response.end(same ? undefined : text);
      },
      (error: unknown) => response.writeHead(500).end(JSON.stringify({ cause: String(error) })),
    );
  }, port);
  far = listen;
  return Object.assign(self, { url: listen.url, host: host(), close: () => listen.close() });
};

export const aPlug = (wanted: Partial<DataPlug> = {}): DataPlug => ({
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
  ...wanted,
});

export const anOffer = (wanted: Partial<Offer> = {}): Offer => ({
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
  ...wanted,
});
