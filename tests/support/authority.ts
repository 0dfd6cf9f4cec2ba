import {
  createHash,
  createPublicKey,
  randomBytes,
  verify,
  X509Certificate,
  type JsonWebKey,
  type KeyObject,
} from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { connect } from 'node:tls';
import { findChallengeProblem, createSigner, readRequest } from './authority-x509.ts';

// A small certificate authority (RFC 8555) on loopback. It validates each name with TLS-ALPN-01 (RFC 8737), and checks
// signatures, nonces and requests. Tests can make it misbehave.

export type AcmeStep =
  | 'directory'
  | 'nonce'
  | 'account'
  | 'order'
  | 'order-status'
  | 'authorization'
  | 'challenge'
  | 'finalize'
  | 'certificate'
  | 'revoke'
  | 'renewal';

/** Misbehaviour of the authority. Can be changed while it runs. */
export type AuthorityBehaviour = {
  /** Responds to a step with a problem document. `type` is the last part of the URN. */
  refuse?: { at: AcmeStep; status: number; type: string; detail: string; retryAfter?: string };
  /** Responds to a step with these bytes and status 200. */
  invalidResponse?: { at: AcmeStep; body: string | Buffer };
  /** Closes the connection at a step. */
  hangUp?: AcmeStep;
  /** Delays a step. */
  slow?: { at: AcmeStep; ms: number };
  /** Called and awaited at each step before it is performed. */
  onStep?: (step: AcmeStep) => Promise<void> | void;
  /** Start of the certificate's validity, in milliseconds from now. */
  fromMs?: number;
  /** End of the certificate's validity, in milliseconds from now. */
  untilMs?: number;
  /** Signs with an unknown root. */
  isUntrusted?: boolean;
  /** Never validates challenges, so orders stay pending. */
  staysPending?: boolean;
  /** Issues a certificate for this name instead of the requested one. */
  wrongName?: string;
  /** Issues a certificate for a different key. */
  hasWrongKey?: boolean;
  /** Refuses valid nonces until this number of nonces has been refused. */
  staleNonces?: number;
  /** Milliseconds by which the `Date` header is ahead, and with it the renewal windows relative to the current time. */
  clockMs?: number;
  /** Type of the challenge that is offered in addition to http-01. */
  challenge?: string;
  /** URL to return for finalising an order. */
  finalizeAt?: string;
  /** Suggests renewal of every certificate within this window (milliseconds from now), with this Retry-After. */
  renewal?: { fromMs: number; untilMs: number; retryAfter?: string };
  /** Offers no renewal information (RFC 9773). */
  hasNoRenewalInfo?: boolean;
};

export type Authority = {
  /** Address of the directory. */
  readonly url: string;
  /** Root certificate, in PEM. The issued certificates and the server certificate of the authority chain to it. */
  readonly rootPem: string;
  /** URL of the terms of service. */
  readonly terms: string;
  behaviour: AuthorityBehaviour;
  /** Requested steps, in order. */
  readonly steps: AcmeStep[];
  readonly countSteps: (step: AcmeStep) => number;
  readonly countAccounts: () => number;
  /** Issued chains, in PEM. */
  readonly issuedChains: string[];
  /** Revokes a certificate, as an operator does after a key compromise. */
  revoke(chain: string): void;
  /** Open connections of clients. A client closes its connections once it has processed the responses. */
  readonly connections: ReadonlySet<Socket>;
  /** Resolves when all received requests have been handled, including requests from disconnected clients. */
  waitUntilIdle(): Promise<void>;
  /** Forgets all accounts and orders, like a newly installed authority. */
  forget(): void;
  close(): Promise<void>;
};

type Order = {
  id: string;
  account: string;
  host: string;
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  token: string;
  proof: 'pending' | 'valid' | 'invalid';
  error?: { type: string; detail: string };
  chain?: string;
};

class Refusal extends Error {
  readonly status: number;
  readonly type: string;
  readonly retryAfter: string | undefined;
  constructor(status: number, type: string, detail: string, retryAfter?: string) {
    super(detail);
    this.status = status;
    this.type = type;
    this.retryAfter = retryAfter;
  }
}

const DAY_MS = 86_400_000;
/** Limit for the connection to a host. Only hanging tests reach it, even on a slow machine. */
const CHALLENGE_TIMEOUT_MS = 600_000;
const TERMS = 'https://authority.example/terms/v1';
const urn = (type: string): string => `urn:ietf:params:acme:error:${type}`;
const decodeJson = (text: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(text, 'base64url').toString() || 'null');

const thumbprintOf = (key: KeyObject): string => {
  const { crv, kty, x, y } = key.export({ format: 'jwk' });
  return createHash('sha256').update(JSON.stringify({ crv, kty, x, y })).digest('base64url');
};

/**
 * Starts a certificate authority on a free port.
 * @param resolveAddress returns the address at which the authority reaches a host name
 * @param now returns the time of the authority in Unix milliseconds
 */
export const openAuthority = async (
  resolveAddress: (host: string) => { host: string; port: number },
  now: () => number = Date.now,
): Promise<Authority> => {
  const signer = await createSigner('Test Authority');
  const untrustedSigner = await createSigner('Unknown');
  const nonces = new Set<string>();
  const accounts = new Map<string, KeyObject>();
  const orders = new Map<string, Order>();
  const revokedFingerprints = new Set<string>();
  const steps: AcmeStep[] = [];
  const issuedChains: string[] = [];
  const connections = new Set<Socket>();
  const requestsInProgress = new Set<Promise<void>>();
  let refusedNonceCount = 0;

  const server = createServer(signer.server);
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;

  /** Verifies and parses a signed request. @throws {Refusal} if it is invalid */
  const readSignedRequest = async (request: IncomingMessage) => {
    const body = JSON.parse((await buffer(request)).toString()) as {
      protected: string;
      payload: string;
      signature: string;
    };
    const protectedHeader = decodeJson(body.protected) as {
      alg: string;
      nonce: string;
      url: string;
      jwk?: JsonWebKey;
      kid?: string;
    };
    if (request.headers['content-type'] !== 'application/jose+json') throw new Refusal(415, 'malformed', 'No JWS.');
    if (!nonces.delete(protectedHeader.nonce) || refusedNonceCount < (authority.behaviour.staleNonces ?? 0)) {
      refusedNonceCount += 1;
      throw new Refusal(400, 'badNonce', 'Unknown nonce.');
    }
    if (protectedHeader.url !== `${origin}${request.url}`)
      throw new Refusal(400, 'unauthorized', 'The request is for a different URL.');
    const isSignedWithKey = protectedHeader.jwk !== undefined;
    if (isSignedWithKey === (protectedHeader.kid !== undefined))
      throw new Refusal(400, 'malformed', 'Send either a key or an account.');
    const key =
      protectedHeader.jwk === undefined
        ? accounts.get(protectedHeader.kid ?? '')
        : createPublicKey({ key: protectedHeader.jwk, format: 'jwk' });
    if (key === undefined) throw new Refusal(400, 'accountDoesNotExist', 'Unknown account.');
    const signature = Buffer.from(body.signature, 'base64url');
    const content = Buffer.from(`${body.protected}.${body.payload}`);
    if (protectedHeader.alg !== 'ES256' || !verify('sha256', content, { key, dsaEncoding: 'ieee-p1363' }, signature))
      throw new Refusal(400, 'malformed', 'The signature is invalid.');
    return {
      key,
      account: protectedHeader.kid ?? '',
      isSignedWithKey,
      payload: body.payload === '' ? undefined : decodeJson(body.payload),
    };
  };
  type SignedRequest = Awaited<ReturnType<typeof readSignedRequest>>;

  /** Connects to the name and checks the certificate there. @returns the problem, if any */
  const tryChallenge = (order: Order, key: KeyObject): Promise<string | undefined> =>
    new Promise((resolve) => {
      const digest = createHash('sha256')
        .update(`${order.token}.${thumbprintOf(key)}`)
        .digest();
      const socket = connect({
        ...resolveAddress(order.host),
        servername: order.host,
        ALPNProtocols: ['acme-tls/1'],
        rejectUnauthorized: false,
        timeout: CHALLENGE_TIMEOUT_MS,
      });
      socket.on('secureConnect', () => {
        const certificate = socket.getPeerX509Certificate();
        if (socket.alpnProtocol !== 'acme-tls/1') resolve('acme-tls/1 was not negotiated');
        else
          resolve(
            certificate === undefined ? 'no certificate' : findChallengeProblem(certificate.raw, order.host, digest),
          );
        socket.destroy();
      });
      socket.on('timeout', () => socket.destroy(new Error('timeout')));
      socket.on('error', (error) => resolve(error.message));
      socket.on('close', () => resolve('the connection was closed'));
    });

  const orderOf = (id: string | undefined, request: SignedRequest): Order => {
    const order = orders.get(id ?? '');
    if (order === undefined || order.account !== request.account) throw new Refusal(404, 'malformed', 'No such order.');
    return order;
  };

  const orderBody = (order: Order): object => ({
    status: order.status,
    identifiers: [{ type: 'dns', value: order.host }],
    authorizations: [`${origin}/authorization/${order.id}`],
    finalize: authority.behaviour.finalizeAt ?? `${origin}/finalize/${order.id}`,
    ...(order.chain === undefined ? {} : { certificate: `${origin}/certificate/${order.id}` }),
    ...(order.error === undefined ? {} : { error: order.error }),
  });

  const sign = (order: Order, publicKey: KeyObject): Promise<string> => {
    const { behaviour } = authority;
    return (behaviour.isUntrusted === true ? untrustedSigner : signer).sign({
      names: [behaviour.wrongName ?? order.host],
      publicKey: behaviour.hasWrongKey === true ? createPublicKey(signer.server.key) : publicKey,
      from: now() + (behaviour.fromMs ?? -3_600_000),
      until: now() + (behaviour.untilMs ?? 90 * DAY_MS),
    });
  };

  type Reply = { status?: number; location?: string; body: object | string };
  const handlers: Record<
    Exclude<AcmeStep, 'directory' | 'nonce' | 'renewal'>,
    (request: SignedRequest, id: string | undefined) => Promise<Reply> | Reply
  > = {
    account(request) {
      if (!request.isSignedWithKey) throw new Refusal(400, 'malformed', 'An account is created with its key.');
      if (request.payload?.['termsOfServiceAgreed'] !== true)
        throw new Refusal(403, 'userActionRequired', 'Agreement to the terms is required.');
      const location = `${origin}/account/${thumbprintOf(request.key)}`;
      const status = accounts.has(location) ? 200 : 201;
      accounts.set(location, request.key);
      return { status, location, body: { status: 'valid' } };
    },
    order(request) {
      const identifiers = request.payload?.['identifiers'] as { type: string; value: string }[];
      const host = identifiers[0]?.value;
      if (request.isSignedWithKey || identifiers.length !== 1 || identifiers[0]?.type !== 'dns' || host === undefined)
        throw new Refusal(400, 'malformed', 'An order needs an account and exactly one name.');
      const [id, token] = [randomBytes(9).toString('base64url'), randomBytes(32).toString('base64url')];
      orders.set(id, { id, account: request.account, host, status: 'pending', token, proof: 'pending' });
      return { status: 201, location: `${origin}/order-status/${id}`, body: orderBody(orderOf(id, request)) };
    },
    'order-status': (request, id) => ({ body: orderBody(orderOf(id, request)) }),
    authorization(request, id) {
      const { host, token, proof, error } = orderOf(id, request);
      const type = authority.behaviour.challenge ?? 'tls-alpn-01';
      const challenge = {
        type,
        url: `${origin}/challenge/${id}`,
        token,
        status: proof,
        ...(error === undefined ? {} : { error }),
      };
      const httpChallenge = { type: 'http-01', url: `${origin}/challenge/none`, token, status: 'pending' };
      return {
        body: { status: proof, identifier: { type: 'dns', value: host }, challenges: [httpChallenge, challenge] },
      };
    },
    async challenge(request, id) {
      const order = orderOf(id, request);
      if (authority.behaviour.staysPending !== true && order.proof === 'pending') {
        const problem = await tryChallenge(order, request.key);
        order.proof = problem === undefined ? 'valid' : 'invalid';
        order.status = problem === undefined ? 'ready' : 'invalid';
        if (problem !== undefined) order.error = { type: urn('unauthorized'), detail: `Validation failed: ${problem}` };
      }
      return { body: { type: 'tls-alpn-01', status: order.proof, token: order.token } };
    },
    async finalize(request, id) {
      const order = orderOf(id, request);
      if (order.status !== 'ready') throw new Refusal(403, 'orderNotReady', 'The order is not ready.');
      let certificateRequest: Awaited<ReturnType<typeof readRequest>>;
      try {
        certificateRequest = await readRequest(Buffer.from(String(request.payload?.['csr']), 'base64url'));
      } catch (error) {
        throw new Refusal(400, 'badCSR', String(error));
      }
      if (certificateRequest.names.join(' ') !== order.host)
        throw new Refusal(400, 'badCSR', 'The request is for other names.');
      if (certificateRequest.publicKey.equals(request.key))
        throw new Refusal(400, 'badCSR', "The request is for the account's key.");
      order.chain = await sign(order, certificateRequest.publicKey);
      issuedChains.push(order.chain);
      order.status = 'valid';
      return { body: { ...orderBody(order), status: 'processing' } };
    },
    certificate: (request, id) => ({ body: orderOf(id, request).chain ?? '' }),
    revoke(request) {
      const certificate = new X509Certificate(Buffer.from(String(request.payload?.['certificate']), 'base64url'));
      const isIssued = issuedChains.some(
        (chain) => new X509Certificate(chain).fingerprint256 === certificate.fingerprint256,
      );
      if (!isIssued || revokedFingerprints.has(certificate.fingerprint256))
        throw new Refusal(400, 'alreadyRevoked', 'Unknown or already revoked certificate.');
      revokedFingerprints.add(certificate.fingerprint256);
      return { body: '' };
    },
  };

  /**
   * Returns the renewal information (RFC 9773) of a certificate, identified by key and serial number.
   * @throws {Refusal} if the authority has not issued it
   */
  const renewalOf = (id: string | undefined): object => {
    const chain = issuedChains.find((candidate) => {
      const { serialNumber } = new X509Certificate(candidate);
      // DER prepends a zero byte if the first bit is set (RFC 9773, section 4.1). Node omits it.
      const der = /^[89A-F]/iu.test(serialNumber) ? `00${serialNumber}` : serialNumber;
      const serial = Buffer.from(der, 'hex').toString('base64url');
      return id === `${signer.keyId.toString('base64url')}.${serial}`;
    });
    if (chain === undefined) throw new Refusal(404, 'malformed', 'Unknown certificate.');
    const { validFromDate, validToDate, fingerprint256 } = new X509Certificate(chain);
    const lifetimeMs = validToDate.getTime() - validFromDate.getTime();
    const time = now() + (authority.behaviour.clockMs ?? 0);
    const { renewal } = authority.behaviour;
    const [from, until] =
      renewal !== undefined
        ? [time + renewal.fromMs, time + renewal.untilMs]
        : revokedFingerprints.has(fingerprint256)
          ? [time - 2 * DAY_MS, time - DAY_MS]
          : [validToDate.getTime() - lifetimeMs / 3, validToDate.getTime() - lifetimeMs / 3 + 2 * DAY_MS];
    return { suggestedWindow: { start: new Date(from).toISOString(), end: new Date(until).toISOString() } };
  };

  const directory = (): object => ({
    newNonce: `${origin}/nonce`,
    newAccount: `${origin}/account`,
    newOrder: `${origin}/order`,
    revokeCert: `${origin}/revoke`,
    keyChange: `${origin}/key-change`,
    ...(authority.behaviour.hasNoRenewalInfo === true ? {} : { renewalInfo: `${origin}/renewal` }),
    meta: { termsOfService: TERMS },
  });

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, name = '', id] = (request.url ?? '').split('/');
    const step = name as AcmeStep;
    const { behaviour } = authority;
    response.setHeader('date', new Date(now() + (behaviour.clockMs ?? 0)).toUTCString());
    const nonce = randomBytes(12).toString('base64url');
    nonces.add(nonce);
    if (step !== 'directory') response.setHeader('replay-nonce', nonce);
    const sendReply = ({ status = 200, location, body }: Reply): void => {
      const type = typeof body === 'string' ? 'application/pem-certificate-chain' : 'application/json';
      response.writeHead(status, { 'content-type': type, ...(location === undefined ? {} : { location }) });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    steps.push(step);
    await behaviour.onStep?.(step);
    if (behaviour.hangUp === step) {
      request.socket.destroy();
      return;
    }
    if (behaviour.slow?.at === step) await pause(behaviour.slow.ms);
    if (behaviour.refuse?.at === step) {
      const { status, type, detail, retryAfter } = behaviour.refuse;
      throw new Refusal(status, type, detail, retryAfter);
    }
    if (behaviour.invalidResponse?.at === step) response.end(behaviour.invalidResponse.body);
    else if (step === 'directory') sendReply({ body: directory() });
    else if (step === 'nonce') response.end();
    else if (step === 'renewal') {
      response.setHeader('retry-after', behaviour.renewal?.retryAfter ?? '21600');
      sendReply({ body: renewalOf(id) });
    } else if (Object.hasOwn(handlers, step)) sendReply(await handlers[step](await readSignedRequest(request), id));
    else throw new Refusal(404, 'malformed', 'Not found.');
  };

  server.on('request', (request, response) => {
    const completion = respond(request, response).catch((error: unknown) => {
      const { status, type, message, retryAfter } =
        error instanceof Refusal ? error : new Refusal(500, 'serverInternal', String(error));
      response.writeHead(status, {
        'content-type': 'application/problem+json',
        ...(retryAfter === undefined ? {} : { 'retry-after': retryAfter }),
      });
      response.end(JSON.stringify({ type: urn(type), detail: message, status }));
    });
    requestsInProgress.add(completion);
    void completion.finally(() => requestsInProgress.delete(completion));
  });

  const authority: Authority = {
    url: `${origin}/directory`,
    rootPem: signer.root,
    terms: TERMS,
    behaviour: {},
    steps,
    countSteps: (step) => steps.filter((candidate) => candidate === step).length,
    countAccounts: () => accounts.size,
    issuedChains,
    revoke: (chain) => void revokedFingerprints.add(new X509Certificate(chain).fingerprint256),
    connections,
    waitUntilIdle: async () => void (await Promise.all(requestsInProgress)),
    forget() {
      accounts.clear();
      orders.clear();
    },
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
  return authority;
};
