import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { words } from '../../../../platform/outbound/foreign-text.ts';
import type { AcmeAnswer, AcmeCalls, Signer } from './acme-client.ts';
import { thumbprint } from './acme-client.ts';
import { AcmeProblem } from './acme-error.ts';

/**
 * The steps from an account to a certificate (RFC 8555, 7) with the one challenge that needs no more than our host's TLS (RFC 8737). An order goes on from
 * wherever it stands: one that was broken off, by a kill or by a slow authority, is not placed a second time.
 */

const url = z.string().max(1000);
const challengeErrorSchema = z.object({ type: z.string().optional(), detail: z.string().optional() });

const orderSchema = z.object({
  status: z.enum(['pending', 'ready', 'processing', 'valid', 'invalid']),
  authorizations: z.array(url).min(1).max(5),
  finalize: url,
  certificate: url.optional(),
  error: challengeErrorSchema.optional(),
});

const authorizationSchema = z.object({
  status: z.enum(['pending', 'valid', 'invalid', 'deactivated', 'expired', 'revoked']),
  identifier: z.object({ type: z.string(), value: z.string() }),
  challenges: z
    .array(
      z.object({
        type: z.string(),
        url,
        token: z
          .string()
          .regex(/^[\w-]{1,200}$/u)
          .optional(),
        error: challengeErrorSchema.optional(),
      }),
    )
    .max(20),
});

type Order = z.infer<typeof orderSchema>;

export type OrderParts = {
  calls: AcmeCalls;
  signer: Signer & { account: string };
  host: string;
  /** The request for the certificate, in DER. */
  csr: Buffer;
  /** Shows the digest under acme-tls/1 until the returned function is called. */
  showChallenge(digest: Buffer): Promise<() => void>;
  signal: AbortSignal;
  pace: Pace;
};

export type Pace = {
  /** Milliseconds between two looks at something that goes on at the authority; each is a bit later than the one before. */
  lookMs: number;
  /** Milliseconds after which it is left for the next try. */
  patienceMs: number;
};

export const PACE: Pace = { lookMs: 500, patienceMs: 120_000 };
const LONGEST_LOOK_MS = 10_000;

/** Makes the key known to the authority, and agrees to its terms; the address of the account. @throws AcmeProblem */
export const openAccount = async (calls: AcmeCalls, signer: Signer): Promise<string> => {
  const { newAccount } = await calls.directory();
  const answer = await calls.post(newAccount, { termsOfServiceAgreed: true }, { key: signer.key });
  return calls.own(answer.headers['location'] ?? '');
};

/** @throws AcmeProblem */
export const placeOrder = async (calls: AcmeCalls, signer: Signer, host: string): Promise<string> => {
  const { newOrder } = await calls.directory();
  const answer = await calls.post(newOrder, { identifiers: [{ type: 'dns', value: host }] }, signer);
  return calls.own(answer.headers['location'] ?? '');
};

const refusedFor = (what: string, error: z.infer<typeof challengeErrorSchema> | undefined): AcmeProblem =>
  new AcmeProblem('authority', `${what}${error?.detail === undefined ? '.' : `: ${words(error.detail)}`}`, {
    type: error?.type?.split(':').at(-1) ?? '',
  });

/** Brings an order to its end. The chain in PEM; undefined when the order is over without one. @throws AcmeProblem */
export const finishOrder = async (at: string, parts: OrderParts): Promise<string> => {
  const { calls, signer, pace } = parts;
  const deadline = performance.now() + pace.patienceMs;

  const wait = async (looks: number, answer: AcmeAnswer): Promise<void> => {
    const ms = Math.max(answer.retryAfterMs ?? 0, Math.min(LONGEST_LOOK_MS, pace.lookMs * 1.3 ** looks));
    if (performance.now() + ms > deadline)
      throw new AcmeProblem('authority', 'The certificate authority did not come to an end in time.', {
        type: 'unfinished',
        retryAfterMs: answer.retryAfterMs,
      });
    await pause(ms, undefined, { signal: parts.signal });
  };

  const prove = async (authorization: string): Promise<void> => {
    const look = async () => {
      const answer = await calls.post(authorization, undefined, signer);
      const found = calls.read(authorizationSchema, answer);
      if (found.identifier.value.toLowerCase() !== parts.host)
        throw new AcmeProblem('authority', 'The certificate authority asks for another name than was ordered.');
      return { answer, found, challenge: found.challenges.find(({ type }) => type === 'tls-alpn-01') };
    };
    const first = await look();
    if (first.found.status === 'valid') return;
    const token = first.challenge?.token;
    if (first.challenge === undefined || token === undefined)
      throw new AcmeProblem('authority', 'The certificate authority offers no challenge by TLS (tls-alpn-01).');
    const digest = createHash('sha256')
      .update(`${token}.${await thumbprint(signer.key)}`)
      .digest();
    const hide = await parts.showChallenge(digest);
    try {
      if (first.found.status === 'pending') await calls.post(calls.own(first.challenge.url), {}, signer);
      for (let looks = 0; ; looks += 1) {
        const { answer, found, challenge } = await look();
        if (found.status === 'valid') return;
        if (found.status !== 'pending')
          throw refusedFor('The certificate authority tried this address, and was not convinced', challenge?.error);
        await wait(looks, answer);
      }
    } finally {
      hide();
    }
  };

  const look = async (): Promise<{ answer: AcmeAnswer; order: Order }> => {
    const answer = await calls.post(at, undefined, signer);
    return { answer, order: calls.read(orderSchema, answer) };
  };

  const asked = new Set<Order['status']>();
  for (let looks = 0; ; looks += 1) {
    const { answer, order } = await look();
    if (order.status === 'valid' && order.certificate !== undefined)
      return (await calls.post(calls.own(order.certificate), undefined, signer)).body;
    if (order.status === 'invalid') throw refusedFor('The certificate authority turned the order down', order.error);
    const isNew = !asked.has(order.status);
    asked.add(order.status);
    if (isNew && order.status === 'pending') {
      for (const authorization of order.authorizations) await prove(calls.own(authorization));
    } else if (isNew && order.status === 'ready') {
      await calls.post(calls.own(order.finalize), { csr: parts.csr.toString('base64url') }, signer);
    } else await wait(looks, answer);
  }
};
