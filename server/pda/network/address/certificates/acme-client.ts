import { createPublicKey, type KeyObject } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { calculateJwkThumbprint, FlattenedSign, type JWK } from 'jose';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { retryAfterMs } from '../../../../platform/async/backoff.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { words } from '../../../../platform/outbound/foreign-text.ts';
import { codeOf } from '../../../../wire/values.ts';
import { AcmeProblem } from './acme-error.ts';

/**
 * How one asks an authority (RFC 8555, 6): signed requests over HTTPS, each with a number that the authority gave before. It is known by its address, and by
 * nothing else it is trusted: answers are small, in time, and lead nowhere but to itself.
 */

/** Milliseconds for one call, and for its connection. */
const ANSWER_MS = 30_000;
const CONNECT_MS = 10_000;
/** Bytes of the largest answer. */
const MAX_ANSWER_BYTES = 100_000;
/** Milliseconds by which the two clocks may differ. A certificate is often good from an hour ago. */
const SKEW_MS = 3_600_000;
/** A number that the authority does not know any more is its own doing; that it never knows one is not. */
const NONCE_TRIES = 3;
/** What an authority asks for at most: a clock of theirs that is wrong must not end it for good. */
const LONGEST_RETRY_MS = 7 * 86_400_000;

const address = z.url({ protocol: /^https$/u }).max(1000);

const directorySchema = z.object({
  newNonce: address,
  newAccount: address,
  newOrder: address,
  /** RFC 9773; not all authorities have it. */
  renewalInfo: address.optional(),
  meta: z
    .object({
      termsOfService: z
        .url({ protocol: /^https?$/u })
        .max(1000)
        .optional(),
    })
    .optional(),
});
const problemSchema = z.object({ type: z.string().max(200).optional(), detail: z.string().optional() });

export type Directory = z.infer<typeof directorySchema>;
export type AcmeAnswer = {
  status: number;
  headers: Record<string, string>;
  body: string;
  retryAfterMs: number | undefined;
};

export type AcmeCalls = {
  /** Asked once. @throws AcmeProblem, as all of these do */
  directory(): Promise<Directory>;
  /** A signed call: `payload` of undefined asks for what is there. `account` is its address, or the key that is to become one. */
  post(url: string, payload: object | undefined, signedBy: Signer): Promise<AcmeAnswer>;
  /** An unsigned call, for what anybody may know. */
  get(url: string): Promise<AcmeAnswer>;
  /** Reads an answer. */
  read<Schema extends z.ZodType>(schema: Schema, answer: AcmeAnswer): z.infer<Schema>;
  /** An address out of an answer. */
  own(url: string): string;
  close(): Promise<void>;
};

/** The account's key, and its address once there is one. */
export type Signer = { key: KeyObject; account?: string };

const jwkOf = (key: KeyObject): JWK => {
  const { crv = '', kty = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
};

/** What stands behind a token in each challenge: nobody without the account's key can say it. */
export const thumbprint = (key: KeyObject): Promise<string> => calculateJwkThumbprint(jwkOf(key));

/** Words of Node and OpenSSL that mean: this certificate is not for now. */
const NOT_FOR_NOW = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

export type AcmeCallParts = {
  /** Address of the directory. */
  directory: string;
  clock: Clock;
  /** Certificates in PEM that are trusted beside those which everybody trusts. */
  trust?: string | undefined;
  signal: AbortSignal;
};

export const openAcmeCalls = (parts: AcmeCallParts): AcmeCalls => {
  const agent = new Agent({
    connect: {
      timeout: CONNECT_MS,
      ...(parts.trust === undefined ? {} : { ca: [...getCACertificates('default'), parts.trust] }),
    },
    maxHeaderSize: 16_384,
    maxResponseSize: MAX_ANSWER_BYTES,
  });
  const { origin } = new URL(parts.directory);
  let nonce: string | undefined;
  let directory: Promise<Directory> | undefined;

  const unreachable = (error: unknown): AcmeProblem => {
    const code = codeOf(error);
    if (NOT_FOR_NOW.has(code)) {
      const now = new Date(parts.clock.now()).toUTCString();
      return new AcmeProblem(
        'clock',
        `The certificate authority's own certificate is not good at this time. The clock of this machine says ${now}; is it right?`,
      );
    }
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
      return new AcmeProblem('authority', 'The certificate authority gave an answer that is far too large.');
    const reason = code === '' ? 'it did not answer in time' : code;
    return new AcmeProblem('unreachable', `The certificate authority cannot be reached (${reason}).`);
  };

  const call = async (url: string, method: 'GET' | 'HEAD' | 'POST', body?: string): Promise<AcmeAnswer> => {
    try {
      const answer = await request(url, {
        method,
        dispatcher: agent,
        body: body ?? null,
        headers: {
          'user-agent': 'personal-data-account',
          'accept-language': 'en',
          ...(body === undefined ? {} : { 'content-type': 'application/jose+json' }),
        },
        signal: AbortSignal.any([parts.signal, AbortSignal.timeout(ANSWER_MS)]),
      });
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(answer.headers)) if (typeof value === 'string') headers[name] = value;
      nonce = headers['replay-nonce'] ?? nonce;
      const asked = retryAfterMs(headers['retry-after'], parts.clock.now());
      const waitMs = asked === undefined ? undefined : Math.min(LONGEST_RETRY_MS, asked);
      return { status: answer.statusCode, headers, body: await answer.body.text(), retryAfterMs: waitMs };
    } catch (error) {
      throw unreachable(error);
    }
  };

  const read: AcmeCalls['read'] = (schema, answer) => {
    let json: unknown;
    try {
      json = JSON.parse(answer.body);
    } catch {
      json = undefined;
    }
    const found = schema.safeParse(json);
    if (found.success) return found.data;
    throw new AcmeProblem('authority', 'The certificate authority gave an answer that makes no sense.');
  };

  /** @throws AcmeProblem for every answer that is not the one asked for */
  const accept = (answer: AcmeAnswer): AcmeAnswer => {
    if (answer.status >= 200 && answer.status < 300) return answer;
    let problem: z.infer<typeof problemSchema> = {};
    try {
      problem = problemSchema.parse(JSON.parse(answer.body));
    } catch {
      // Something in between may have answered; the status says enough.
    }
    const type = problem.type?.split(':').at(-1) ?? '';
    const detail = words(problem.detail ?? '');
    const said = [`status ${answer.status}`, type, detail].filter((word) => word !== '').join(', ');
    throw new AcmeProblem('authority', `The certificate authority refused: ${said}`, {
      type,
      retryAfterMs: answer.retryAfterMs,
    });
  };

  const own = (url: string): string => {
    const parsed = URL.parse(url);
    if (parsed !== null && parsed.protocol === 'https:' && parsed.origin === origin) return parsed.href;
    // Whoever is asked is the one whom the owner chose: this PDA carries nobody's requests to somewhere else.
    throw new AcmeProblem('authority', 'The certificate authority gave an address that is not its own.');
  };

  const readDirectory = async (): Promise<Directory> => {
    if (!parts.directory.startsWith('https://'))
      throw new AcmeProblem('authority', 'The address of a certificate authority begins with https.');
    const answer = accept(await call(parts.directory, 'GET'));
    const skew = Date.parse(answer.headers['date'] ?? '') - parts.clock.now();
    if (Math.abs(skew) > SKEW_MS) {
      const [here, there] = [parts.clock.now(), parts.clock.now() + skew].map((ms) => new Date(ms).toUTCString());
      // Asked nevertheless, it would give certificates that look expired here, one after the other.
      throw new AcmeProblem(
        'clock',
        `The clock of this machine says ${here}, the certificate authority ${there}: set the clock right.`,
      );
    }
    const found = read(directorySchema, answer);
    for (const url of [found.newNonce, found.newAccount, found.newOrder]) own(url);
    return found;
  };

  const calls: AcmeCalls = {
    directory: () => (directory ??= readDirectory()),
    read,
    own,
    get: async (url) => accept(await call(own(url), 'GET')),
    async post(url, payload, { key, account }) {
      for (let tries = 1; ; tries += 1) {
        if (nonce === undefined) await call((await calls.directory()).newNonce, 'HEAD');
        if (nonce === undefined) throw new AcmeProblem('authority', 'The certificate authority gives no nonce.');
        const head = { alg: 'ES256', nonce, url, ...(account === undefined ? { jwk: jwkOf(key) } : { kid: account }) };
        // Each is good once.
        nonce = undefined;
        const content = payload === undefined ? '' : JSON.stringify(payload);
        const signed = await new FlattenedSign(Buffer.from(content)).setProtectedHeader(head).sign(key);
        const body = JSON.stringify(signed);
        try {
          return accept(await call(own(url), 'POST', body));
        } catch (error) {
          const stale = error instanceof AcmeProblem && error.type === 'badNonce' && tries < NONCE_TRIES;
          if (!stale) throw error;
        }
      }
    },
    close: () => agent.destroy(),
  };
  return calls;
};
