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

export type NameClaimParts = {
  relay: URL;
  name: string;
  address: string;
  lookup: LookupFunction;
  /** PEM certificates of the trusted authorities; undefined for the default ones. */
  trustedCertificates: readonly string[] | undefined;
  clock: Clock;
};

export type TunnelSession = {
  id: string;
  secret: Buffer;
  /** IP address of the relay that accepted the claim. */
  host: string;
  port: number;
  maxConnections: number;
};

export type ClaimResult =
  | { ok: true; session: TunnelSession }
  /** `isRefused`: the relay does not assign this name to this key. */
  | { ok: false; isRefused: boolean; problem: string; waitMs: number };

const CLAIM_TIMEOUT_MS = 10_000;
const MAX_RESPONSE_BYTES = 10_000;
/** Maximum delay that a relay can impose on the client. */
const LONGEST_WAIT_MS = 3_600_000;

const responseSchema = z.object({
  session: z.string().regex(/^[\w-]{1,64}$/u),
  secret: z.string().regex(/^[\w-]{43}$/u),
  // The field `ip` of localtunnel is ignored: a relay must not direct connections to other hosts.
  port: z.int().min(1).max(65_535),
  max_conn_count: z.int().min(1).max(10_000),
});
const errorSchema = z.object({ cause: z.string().max(1000) });

type RelayResponse = {
  status: number;
  retryAfter: string | undefined;
  body: string;
  remoteAddress: string | undefined;
};

const readResponse = (incoming: IncomingMessage): Promise<RelayResponse> =>
  new Promise((resolve, reject) => {
    let body = '';
    const { remoteAddress } = incoming.socket;
    incoming.setEncoding('latin1');
    incoming.on('data', (chunk: string) => {
      body += chunk;
      if (body.length > MAX_RESPONSE_BYTES) incoming.destroy(new Error('the response is too long'));
    });
    incoming.on('error', reject);
    incoming.on('end', () =>
      resolve({
        status: incoming.statusCode ?? 0,
        retryAfter: incoming.headers['retry-after'],
        body: Buffer.from(body, 'latin1').toString(),
        remoteAddress,
      }),
    );
  });

const sendRequest = async (
  parts: NameClaimParts,
  method: 'GET' | 'DELETE',
  key: SigningKey,
  timeoutMs: number,
): Promise<RelayResponse> => {
  const { relay, lookup, trustedCertificates } = parts;
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
      signal: AbortSignal.timeout(timeoutMs),
      ...(trustedCertificates === undefined ? {} : { ca: [...trustedCertificates] }),
    };
    const url = new URL(`/${parts.name}`, relay);
    const clientRequest: ClientRequest = request(url, options, (incoming) => {
      readResponse(incoming).then(resolve, reject);
    });
    clientRequest.on('error', reject);
    clientRequest.end();
  });
};

const parseJson = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
};

const problemOf = ({ status, body }: RelayResponse): string => {
  const cause = errorSchema.safeParse(parseJson(body)).data?.cause;
  const quote = cause === undefined ? '' : ` It says: ${toSingleLine(cause)}`;
  if (status === 401) return `The relay rejected the proof of identity. Check the clock of this computer.${quote}`;
  if (status === 403) return `The relay does not give this name to this PDA.${quote}`;
  if (status === 429) return `The relay asks this PDA to try again later.${quote}`;
  return `The relay responded with status ${status}.${quote}`;
};

/** Claims the name. Never rejects. */
export const claimName = async (parts: NameClaimParts, key: SigningKey): Promise<ClaimResult> => {
  const failure = (problem: string): ClaimResult => ({ ok: false, isRefused: false, problem, waitMs: 0 });
  try {
    const response = await sendRequest(parts, 'GET', key, CLAIM_TIMEOUT_MS);
    if (response.status !== 200) {
      const isRefused = response.status === 403 || response.status === 400;
      const waitMs = Math.min(LONGEST_WAIT_MS, retryAfterMs(response.retryAfter, parts.clock.now()) ?? 0);
      return { ok: false, isRefused, problem: problemOf(response), waitMs };
    }
    const claim = responseSchema.safeParse(parseJson(response.body)).data;
    if (claim === undefined || response.remoteAddress === undefined)
      return failure('The server at this address is not a compatible relay.');
    return {
      ok: true,
      session: {
        id: claim.session,
        secret: Buffer.from(claim.secret, 'base64url'),
        host: response.remoteAddress,
        port: claim.port,
        maxConnections: claim.max_conn_count,
      },
    };
  } catch (error) {
    return failure(`The relay could not be reached (${messageOf(error)}).`);
  }
};

/** Ends the session at the relay, which keeps the name registered. */
export const endTunnelSession = async (parts: NameClaimParts, key: SigningKey, timeoutMs: number): Promise<void> => {
  // If the request fails, the relay notices when the last connection closes.
  await sendRequest(parts, 'DELETE', key, timeoutMs).catch(() => undefined);
};
