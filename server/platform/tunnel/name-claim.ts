import { request as requestHttp, type ClientRequest, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { z } from 'zod';
import { messageOf } from '../../wire/values.ts';
import { retryAfterMs } from '../async/backoff.ts';
import type { Clock } from '../clock.ts';
import { signPdaToken } from '../auth/pda-token.ts';
import type { SigningKey } from '../auth/tokens.ts';
import { KEY_HEADER, TUNNEL_SCOPE } from './protocol.ts';
import { toSingleLine } from '../outbound/foreign-text.ts';

/** Asks the relay for the name, with a proof of our key; and gives it back. */

export type ClaimParts = {
  relay: URL;
  /** The name, and the whole host[:port] that it leads to. */
  name: string;
  address: string;
  lookup: LookupFunction;
  /** Authorities (PEM) that are trusted; those of the web, when it is not given. */
  trust: readonly string[] | undefined;
  clock: Clock;
};

export type TunnelSession = {
  session: string;
  secret: Buffer;
  /** IP address that answered, and the port that it named. */
  host: string;
  port: number;
  maxConnections: number;
};

export type ClaimResult =
  | { ok: true; session: TunnelSession }
  /** `refused`: the name is not ours. */
  | { ok: false; refused: boolean; problem: string; waitMs: number };

/** Milliseconds for the whole of it. */
const CLAIM_MS = 10_000;
const MAX_ANSWER_BYTES = 10_000;
/** Milliseconds that a relay can ask us to wait at most. */
const LONGEST_WAIT_MS = 3_600_000;

const answerSchema = z.object({
  session: z.string().regex(/^[\w-]{1,64}$/u),
  secret: z.string().regex(/^[\w-]{43}$/u),
  // Where else `ip` may lead is left out on purpose: a relay has us call nobody but itself.
  port: z.int().min(1).max(65_535),
  max_conn_count: z.int().min(1).max(10_000),
});
const errorSchema = z.object({ cause: z.string().max(1000) });

type Answer = { status: number; retryAfter: string | undefined; body: string; from: string | undefined };

const gather = (incoming: IncomingMessage): Promise<Answer> =>
  new Promise((resolve, reject) => {
    let body = '';
    const from = incoming.socket.remoteAddress;
    incoming.setEncoding('latin1');
    incoming.on('data', (part: string) => {
      body += part;
      if (body.length > MAX_ANSWER_BYTES) incoming.destroy(new Error('the answer is too long'));
    });
    incoming.on('error', reject);
    incoming.on('end', () =>
      resolve({
        status: incoming.statusCode ?? 0,
        retryAfter: incoming.headers['retry-after'],
        body: Buffer.from(body, 'latin1').toString(),
        from,
      }),
    );
  });

const call = async (parts: ClaimParts, method: 'GET' | 'DELETE', key: SigningKey, ms: number): Promise<Answer> => {
  const { relay, lookup, trust } = parts;
  const claims = { iss: parts.address, resource: relay.host, accessScope: TUNNEL_SCOPE };
  const token = await signPdaToken(key, claims, parts.clock);
  const spki = key.publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  const request = relay.protocol === 'https:' ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const options = {
      method,
      lookup,
      agent: false as const,
      headers: { authorization: `Bearer ${token}`, [KEY_HEADER]: spki },
      signal: AbortSignal.timeout(ms),
      ...(trust === undefined ? {} : { ca: [...trust] }),
    };
    const url = new URL(`/${parts.name}`, relay);
    const outgoing: ClientRequest = request(url, options, (incoming) => {
      gather(incoming).then(resolve, reject);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
};

const parsed = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    // What is no JSON holds nothing that we look for.
    return undefined;
  }
};

const problemOf = ({ status, body }: Answer): string => {
  const cause = errorSchema.safeParse(parsed(body)).data?.cause;
  const said = cause === undefined ? '' : ` It says: ${toSingleLine(cause)}`;
  if (status === 401) return `The relay did not take our proof: is the clock of this computer right?${said}`;
  if (status === 403) return `The relay gives this name to somebody else.${said}`;
  if (status === 429) return `The relay asks us to wait.${said}`;
  return `The relay answered ${status}.${said}`;
};

/** Never throws. */
export const claimName = async (parts: ClaimParts, key: SigningKey): Promise<ClaimResult> => {
  try {
    const answer = await call(parts, 'GET', key, CLAIM_MS);
    if (answer.status !== 200) {
      const refused = answer.status === 403 || answer.status === 400;
      const waitMs = Math.min(LONGEST_WAIT_MS, retryAfterMs(answer.retryAfter, parts.clock.now()) ?? 0);
      return { ok: false, refused, problem: problemOf(answer), waitMs };
    }
    const found = answerSchema.safeParse(parsed(answer.body)).data;
    if (found === undefined || answer.from === undefined)
      return { ok: false, refused: false, problem: 'What answers there is no relay of ours.', waitMs: 0 };
    const secret = Buffer.from(found.secret, 'base64url');
    return {
      ok: true,
      session: {
        session: found.session,
        secret,
        host: answer.from,
        port: found.port,
        maxConnections: found.max_conn_count,
      },
    };
  } catch (error) {
    const text = messageOf(error);
    return { ok: false, refused: false, problem: `The relay could not be reached (${text}).`, waitMs: 0 };
  }
};

/** Tells the relay that we are gone; whether that was heard. */
export const releaseName = async (parts: ClaimParts, key: SigningKey, ms: number): Promise<boolean> => {
  try {
    return (await call(parts, 'DELETE', key, ms)).status < 300;
  } catch {
    // It notices by itself when the last connection is gone.
    return false;
  }
};
