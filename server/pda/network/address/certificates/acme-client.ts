import { createPublicKey, type KeyObject } from 'node:crypto';
import { getCACertificates } from 'node:tls';
import { calculateJwkThumbprint, FlattenedSign, type JWK } from 'jose';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { retryAfterMs } from '../../../../platform/async/backoff.ts';
import type { Clock } from '../../../../platform/clock.ts';
import { toSingleLine } from '../../../../platform/outbound/foreign-text.ts';
import { codeOf } from '../../../../wire/values.ts';
import { AcmeProblem } from './acme-error.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const CONNECT_TIMEOUT_MS = 10_000;
const RESPONSE_MAX_BYTES = 100_000;
/** Maximum difference from the authority's clock. Certificates are often valid from an hour before their issuance. */
const CLOCK_SKEW_MAX_MS = 3_600_000;
const NONCE_ATTEMPTS_MAX = 3;
/** Upper bound of `Retry-After`. A date from a wrong clock could otherwise postpone the next request indefinitely. */
const RETRY_AFTER_MAX_MS = 7 * 86_400_000;

const httpsUrl = z.url({ protocol: /^https$/u }).max(1000);

const directorySchema = z.object({
  newNonce: httpsUrl,
  newAccount: httpsUrl,
  newOrder: httpsUrl,
  /** URL of the renewal information (RFC 9773). */
  renewalInfo: httpsUrl.optional(),
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
export type AcmeResponse = {
  status: number;
  headers: Record<string, string>;
  body: string;
  retryAfterMs: number | undefined;
};

/** ACME client (RFC 8555, section 6). Sends requests only to the authority's origin. The methods throw AcmeProblem. */
export type AcmeClient = {
  directory(): Promise<Directory>;
  /** Sends a signed request. Without a payload, the request reads the resource (POST-as-GET). */
  post(url: string, payload: object | undefined, signer: Signer): Promise<AcmeResponse>;
  get(url: string): Promise<AcmeResponse>;
  parse<Schema extends z.ZodType>(schema: Schema, response: AcmeResponse): z.infer<Schema>;
  checkOrigin(url: string): string;
  close(): Promise<void>;
};

export type Signer = { key: KeyObject; account?: string };

const jwkOf = (key: KeyObject): JWK => {
  const { crv = '', kty = '', x = '', y = '' } = createPublicKey(key).export({ format: 'jwk' });
  return { crv, kty, x, y };
};

/** Returns the key thumbprint of a challenge's key authorization (RFC 8555, section 8.1). */
export const computeThumbprint = (key: KeyObject): Promise<string> => calculateJwkThumbprint(jwkOf(key));

const VALIDITY_CODES = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);

export type AcmeClientParts = {
  directory: string;
  clock: Clock;
  /** PEM certificates that are trusted in addition to the public authorities. */
  trust?: string | undefined;
  signal: AbortSignal;
};

export const createAcmeClient = (parts: AcmeClientParts): AcmeClient => {
  const agent = new Agent({
    connect: {
      timeout: CONNECT_TIMEOUT_MS,
      ...(parts.trust === undefined ? {} : { ca: [...getCACertificates('default'), parts.trust] }),
    },
    maxHeaderSize: 16_384,
    maxResponseSize: RESPONSE_MAX_BYTES,
  });
  const { origin } = new URL(parts.directory);
  let nonce: string | undefined;
  let directory: Promise<Directory> | undefined;

  const toAcmeProblem = (error: unknown): AcmeProblem => {
    const code = codeOf(error);
    if (VALIDITY_CODES.has(code)) {
      const localTime = new Date(parts.clock.now()).toUTCString();
      return new AcmeProblem(
        'clock',
        "The certificate authority's own certificate is not valid at this time. " +
          `This computer's clock says ${localTime}. Check the clock.`,
      );
    }
    if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE')
      return new AcmeProblem('authority', 'The certificate authority sent a response that is too large.');
    const reason = code === '' ? 'it did not respond in time' : code;
    return new AcmeProblem('unreachable', `The certificate authority cannot be reached (${reason}).`);
  };

  const send = async (url: string, method: 'GET' | 'HEAD' | 'POST', body?: string): Promise<AcmeResponse> => {
    try {
      const response = await request(url, {
        method,
        dispatcher: agent,
        body: body ?? null,
        headers: {
          'user-agent': 'personal-data-account',
          'accept-language': 'en',
          ...(body === undefined ? {} : { 'content-type': 'application/jose+json' }),
        },
        signal: AbortSignal.any([parts.signal, AbortSignal.timeout(REQUEST_TIMEOUT_MS)]),
      });
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(response.headers))
        if (typeof value === 'string') headers[name] = value;
      nonce = headers['replay-nonce'] ?? nonce;
      const requestedMs = retryAfterMs(headers['retry-after'], parts.clock.now());
      const waitMs = requestedMs === undefined ? undefined : Math.min(RETRY_AFTER_MAX_MS, requestedMs);
      return { status: response.statusCode, headers, body: await response.body.text(), retryAfterMs: waitMs };
    } catch (error) {
      throw toAcmeProblem(error);
    }
  };

  const parse: AcmeClient['parse'] = (schema, response) => {
    let json: unknown;
    try {
      json = JSON.parse(response.body);
    } catch {
      json = undefined;
    }
    const result = schema.safeParse(json);
    if (result.success) return result.data;
    throw new AcmeProblem('authority', 'The certificate authority sent an invalid response.');
  };

  const requireSuccess = (response: AcmeResponse): AcmeResponse => {
    if (response.status >= 200 && response.status < 300) return response;
    let problem: z.infer<typeof problemSchema> = {};
    try {
      problem = problemSchema.parse(JSON.parse(response.body));
    } catch {
      // An intermediary may have sent the response. The message then contains only the status.
    }
    const type = problem.type?.split(':').at(-1) ?? '';
    const detail = toSingleLine(problem.detail ?? '');
    const reason = [`status ${response.status}`, type, detail].filter((part) => part !== '').join(', ');
    throw new AcmeProblem('authority', `The certificate authority refused the request: ${reason}`, {
      type,
      retryAfterMs: response.retryAfterMs,
    });
  };

  const checkOrigin = (url: string): string => {
    const parsedUrl = URL.parse(url);
    if (parsedUrl !== null && parsedUrl.protocol === 'https:' && parsedUrl.origin === origin) return parsedUrl.href;
    // Prevents server-side request forgery (SSRF): the owner chose this authority and no other server.
    throw new AcmeProblem('authority', 'The certificate authority sent a URL of another server.');
  };

  const readDirectory = async (): Promise<Directory> => {
    if (!parts.directory.startsWith('https://'))
      throw new AcmeProblem('authority', 'The address of the certificate authority must start with https://.');
    const response = requireSuccess(await send(parts.directory, 'GET'));
    const skew = Date.parse(response.headers['date'] ?? '') - parts.clock.now();
    if (Math.abs(skew) > CLOCK_SKEW_MAX_MS) {
      const [local, remote] = [parts.clock.now(), parts.clock.now() + skew].map((ms) => new Date(ms).toUTCString());
      // With a wrong clock, a new certificate could look expired or not yet valid.
      throw new AcmeProblem(
        'clock',
        `This computer's clock says ${local}, the certificate authority's ${remote}. Set the clock of this computer.`,
      );
    }
    const content = parse(directorySchema, response);
    for (const url of [content.newNonce, content.newAccount, content.newOrder]) checkOrigin(url);
    return content;
  };

  const client: AcmeClient = {
    directory: () => (directory ??= readDirectory()),
    parse,
    checkOrigin,
    get: async (url) => requireSuccess(await send(checkOrigin(url), 'GET')),
    async post(url, payload, { key, account }) {
      for (let attempt = 1; ; attempt += 1) {
        if (nonce === undefined) await send((await client.directory()).newNonce, 'HEAD');
        if (nonce === undefined) throw new AcmeProblem('authority', 'The certificate authority sent no nonce.');
        const protectedHeader = {
          alg: 'ES256',
          nonce,
          url,
          ...(account === undefined ? { jwk: jwkOf(key) } : { kid: account }),
        };
        // Each nonce is valid once.
        nonce = undefined;
        const content = payload === undefined ? '' : JSON.stringify(payload);
        const jws = await new FlattenedSign(Buffer.from(content)).setProtectedHeader(protectedHeader).sign(key);
        const body = JSON.stringify(jws);
        try {
          return requireSuccess(await send(checkOrigin(url), 'POST', body));
        } catch (error) {
          const canRetry = error instanceof AcmeProblem && error.type === 'badNonce' && attempt < NONCE_ATTEMPTS_MAX;
          if (!canRetry) throw error;
        }
      }
    },
    close: () => agent.destroy(),
  };
  return client;
};
