import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { toSingleLine } from '../../../../platform/outbound/foreign-text.ts';
import type { AcmeClient, AcmeResponse, Signer } from './acme-client.ts';
import { computeThumbprint } from './acme-client.ts';
import { AcmeProblem } from './acme-error.ts';

// Performs the steps from an account to a certificate (RFC 8555, section 7) with the challenge TLS-ALPN-01 (RFC 8737).

const urlSchema = z.string().max(1000);
const problemDocumentSchema = z.object({ type: z.string().optional(), detail: z.string().optional() });

const orderSchema = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(urlSchema).min(1).max(5),
  finalize: urlSchema,
  certificate: urlSchema.optional(),
  error: problemDocumentSchema.optional(),
});

const authorizationSchema = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  identifier: z.object({ type: z.string(), value: z.string() }),
  challenges: z
    .array(
      z.object({
        type: z.string(),
        url: urlSchema,
        token: z
          .string()
          .regex(/^[\w-]{1,200}$/u)
          .optional(),
        error: problemDocumentSchema.optional(),
      }),
    )
    .max(20),
});

type Order = z.infer<typeof orderSchema>;

export type OrderParts = {
  client: AcmeClient;
  signer: Signer & { account: string };
  host: string;
  csr: Buffer;
  /** Presents the digest to clients that request acme-tls/1. The returned function withdraws it. */
  presentChallenge(digest: Buffer): Promise<() => void>;
  signal: AbortSignal;
  polling: PollingOptions;
};

export type PollingOptions = {
  /** Milliseconds between the first two polls. Later intervals are longer. */
  intervalMs: number;
  timeoutMs: number;
};

export const DEFAULT_POLLING: PollingOptions = { intervalMs: 500, timeoutMs: 120_000 };
const POLL_INTERVAL_MAX_MS = 10_000;
const POLL_INTERVAL_GROWTH = 1.3;

/** Registers the key and agrees to the authority's terms. @returns account URL @throws AcmeProblem */
export const openAccount = async (client: AcmeClient, signer: Signer): Promise<string> => {
  const { newAccount } = await client.directory();
  const response = await client.post(newAccount, { termsOfServiceAgreed: true }, { key: signer.key });
  return client.checkOrigin(response.headers['location'] ?? '');
};

/** Orders a certificate for a host. @returns order URL @throws AcmeProblem */
export const placeOrder = async (client: AcmeClient, signer: Signer, host: string): Promise<string> => {
  const { newOrder } = await client.directory();
  const response = await client.post(newOrder, { identifiers: [{ type: 'dns', value: host }] }, signer);
  return client.checkOrigin(response.headers['location'] ?? '');
};

const toProblem = (summary: string, error: z.infer<typeof problemDocumentSchema> | undefined): AcmeProblem =>
  new AcmeProblem('authority', `${summary}${error?.detail === undefined ? '.' : `: ${toSingleLine(error.detail)}`}`, {
    type: error?.type?.split(':').at(-1) ?? '',
  });

/** Completes an order. @returns certificate chain in PEM @throws AcmeProblem, and AbortError if `signal` is aborted */
export const finishOrder = async (orderUrl: string, parts: OrderParts): Promise<string> => {
  const { client, signer, polling } = parts;
  const deadline = performance.now() + polling.timeoutMs;

  const wait = async (polls: number, response: AcmeResponse): Promise<void> => {
    const intervalMs = Math.min(POLL_INTERVAL_MAX_MS, polling.intervalMs * POLL_INTERVAL_GROWTH ** polls);
    const ms = Math.max(response.retryAfterMs ?? 0, intervalMs);
    if (performance.now() + ms > deadline)
      throw new AcmeProblem('authority', 'The certificate authority did not complete the order in time.', {
        type: 'unfinished',
        retryAfterMs: response.retryAfterMs,
      });
    await pause(ms, undefined, { signal: parts.signal });
  };

  const authorize = async (authorizationUrl: string): Promise<void> => {
    const poll = async () => {
      const response = await client.post(authorizationUrl, undefined, signer);
      const authorization = client.parse(authorizationSchema, response);
      if (authorization.identifier.value.toLowerCase() !== parts.host)
        throw new AcmeProblem('authority', 'The certificate authority requests proof for a name that was not ordered.');
      const challenge = authorization.challenges.find(({ type }) => type === 'tls-alpn-01');
      return { response, status: authorization.status, challenge };
    };
    const firstPoll = await poll();
    if (firstPoll.status === 'valid') return;
    const token = firstPoll.challenge?.token;
    if (firstPoll.challenge === undefined || token === undefined)
      throw new AcmeProblem('authority', 'The certificate authority does not offer the challenge tls-alpn-01.');
    const digest = createHash('sha256')
      .update(`${token}.${await computeThumbprint(signer.key)}`)
      .digest();
    const withdraw = await parts.presentChallenge(digest);
    try {
      if (firstPoll.status === 'pending') await client.post(client.checkOrigin(firstPoll.challenge.url), {}, signer);
      for (let polls = 0; ; polls += 1) {
        const { response, status, challenge } = await poll();
        if (status === 'valid') return;
        if (status !== 'pending')
          throw toProblem('The certificate authority could not verify this address', challenge?.error);
        await wait(polls, response);
      }
    } finally {
      withdraw();
    }
  };

  const handledStates = new Set<Order['status']>();
  for (let polls = 0; ; polls += 1) {
    const response = await client.post(orderUrl, undefined, signer);
    const order = client.parse(orderSchema, response);
    if (order.status === 'valid' && order.certificate !== undefined)
      return (await client.post(client.checkOrigin(order.certificate), undefined, signer)).body;
    if (order.status === 'invalid') throw toProblem('The certificate authority rejected the order', order.error);
    const isNew = !handledStates.has(order.status);
    handledStates.add(order.status);
    if (isNew && order.status === 'pending') {
      for (const authorizationUrl of order.authorizations) await authorize(client.checkOrigin(authorizationUrl));
    } else if (isNew && order.status === 'ready') {
      await client.post(client.checkOrigin(order.finalize), { csr: parts.csr.toString('base64url') }, signer);
    } else await wait(polls, response);
  }
};
