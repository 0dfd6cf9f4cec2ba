import { BlockList, isIP } from 'node:net';
import type { Agent } from 'undici';
import { createLookup, type Resolver } from './dns-lookup.ts';

// HTTP client for URLs from third parties, such as callbacks, status checks and registrations; no other code may call
// such URLs. The client connects only to public addresses, checked when the connection is made, which defeats DNS
// rebinding. It follows no redirects, and limits size and time.

const NOT_PUBLIC_V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
] as const;
/** `NOT_PUBLIC_V6` lists ranges inside this range that wrap IPv4 addresses or are not routed. */
const PUBLIC_V6 = ['2000::', 3] as const;
const NOT_PUBLIC_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const createLists = () => {
  const notPublic = new BlockList();
  for (const [network, bits] of NOT_PUBLIC_V4) notPublic.addSubnet(network, bits, 'ipv4');
  for (const [network, bits] of NOT_PUBLIC_V6) notPublic.addSubnet(network, bits, 'ipv6');
  const publicV6 = new BlockList();
  publicV6.addSubnet(...PUBLIC_V6, 'ipv6');
  return { notPublic, publicV6 };
};

/** Created on first use to keep startup fast. */
let addressLists: ReturnType<typeof createLists> | undefined;

export const isPublicAddress = (address: string): boolean => {
  const { notPublic, publicV6 } = (addressLists ??= createLists());
  const family = isIP(address);
  if (family === 4) return !notPublic.check(address, 'ipv4');
  if (family === 6) return publicV6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
  return false;
};

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';

/**
 * Ports from 1024 on that the Fetch standard blocks. Other services, such as mail, might interpret a request as
 * commands.
 */
const BLOCKED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);
const isAllowedPort = (port: string): boolean => {
  if (port === '' || port === '80' || port === '443') return true;
  return Number(port) >= 1024 && !BLOCKED_PORTS.has(Number(port));
};

/** `bad_address`: the URL is not acceptable. `not_public`: the host is not on the public internet. */
export type SafeFetchFailure =
  | 'bad_address'
  | 'not_public'
  | 'unreachable'
  | 'timeout'
  | 'too_large'
  | 'redirect'
  | 'aborted';

export type SafeFetchResult =
  | { ok: true; status: number; headers: Record<string, string>; body: Buffer }
  | { ok: false; failure: SafeFetchFailure; cause: string };

export type SafeFetchRequest = {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** Time limit of the whole request. */
  timeoutMs?: number;
  maxBytes?: number;
  discardBody?: boolean;
  signal?: AbortSignal;
};

export type SafeFetch = {
  /** Never rejects: every error becomes a result with `ok: false`. */
  (url: string, request?: SafeFetchRequest): Promise<SafeFetchResult>;
  close(): Promise<void>;
};

class NotPublicError extends Error {}
class TooLargeError extends Error {}

const readBody = async (body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLargeError();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const CONNECT_TIMEOUT_MS = 5000;
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_MAX_BYTES = 1_000_000;
const MAX_HEADER_BYTES = 16_384;
/** Maximum number of informational responses (1xx). One or two are usual. */
const MAX_INFORMATIONAL_RESPONSES = 20;

/** Limits for a discarded body. If the body ends within them, the connection can be reused. */
const DISCARD_BYTES = 16_384;
const DISCARD_MS = 200;

const discard = async (body: { dump(options: { limit: number; signal: AbortSignal }): Promise<unknown> }) => {
  const deadline = AbortSignal.timeout(DISCARD_MS);
  await body.dump({ limit: DISCARD_BYTES, signal: deadline }).catch((error: unknown) => {
    if (!deadline.aborted) throw error;
  });
  return Buffer.alloc(0);
};

/** @param options.allowLoopback for development and tests only */
export const createSafeFetch = (options: { allowLoopback: boolean; resolve?: Resolver }): SafeFetch => {
  const isAllowed = (address: string): boolean =>
    isPublicAddress(address) || (options.allowLoopback && isLoopback(address));

  const lookup = createLookup({
    resolve: options.resolve,
    refusalOf: (host, addresses) =>
      addresses.length > 0 && addresses.every(({ address }) => isAllowed(address))
        ? undefined
        : new NotPublicError(host),
  });

  let agent: Agent | undefined;

  const failureResult = (failure: SafeFetchFailure, cause: string): SafeFetchResult => ({ ok: false, failure, cause });

  const run = async (url: string, fetchRequest: SafeFetchRequest = {}): Promise<SafeFetchResult> => {
    const target = URL.parse(url);
    if (target === null || !/^https?:$/u.test(target.protocol) || target.username !== '' || target.password !== '')
      return failureResult('bad_address', 'Only http and https addresses without credentials can be called.');
    if (!isAllowedPort(target.port)) return failureResult('bad_address', 'That port is not allowed.');
    const host = target.hostname.replace(/^\[|\]$/gu, '');
    // A literal address has no DNS look-up, so it is checked here. URL has normalised its spelling.
    if (isIP(host) !== 0 && !isAllowed(host))
      return failureResult('not_public', 'That address is not on the public internet.');

    const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES } = fetchRequest;
    const timeout = AbortSignal.timeout(timeoutMs);
    const informationalLimit = new AbortController();
    let informationalCount = 0;
    // Imported at the first request: undici takes 5 MB of memory, and an idle server sends no requests.
    const { Agent, request } = await import('undici');
    agent ??= new Agent({ connect: { lookup, timeout: CONNECT_TIMEOUT_MS }, maxHeaderSize: MAX_HEADER_BYTES });
    try {
      const response = await request(target, {
        method: fetchRequest.method ?? 'GET',
        headers: fetchRequest.headers ?? {},
        body: fetchRequest.body ?? null,
        dispatcher: agent,
        signal: AbortSignal.any([
          timeout,
          informationalLimit.signal,
          ...(fetchRequest.signal === undefined ? [] : [fetchRequest.signal]),
        ]),
        onInfo: () => {
          informationalCount += 1;
          if (informationalCount > MAX_INFORMATIONAL_RESPONSES) informationalLimit.abort();
        },
      });
      // 304 is not a redirect.
      const isRedirect = response.statusCode >= 300 && response.statusCode < 400 && response.statusCode !== 304;
      const body =
        isRedirect || fetchRequest.discardBody === true
          ? await discard(response.body)
          : await readBody(response.body, maxBytes);
      if (isRedirect)
        return failureResult('redirect', 'The address redirects to another one. Redirects are not followed.');
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(response.headers)) {
        if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
      }
      return { ok: true, status: response.statusCode, headers, body };
    } catch (error) {
      if (error instanceof NotPublicError)
        return failureResult('not_public', 'That name does not resolve to the public internet.');
      if (error instanceof TooLargeError)
        return failureResult('too_large', `The response is larger than ${maxBytes} bytes.`);
      if (fetchRequest.signal?.aborted === true) return failureResult('aborted', 'The request was cancelled.');
      const name = error instanceof Error ? error.name : '';
      if (name === 'TimeoutError' || name === 'ConnectTimeoutError')
        return failureResult('timeout', 'No response in time.');
      return failureResult('unreachable', 'The address could not be reached.');
    }
  };

  return Object.assign(run, {
    close: async () => {
      await agent?.destroy();
    },
  });
};
