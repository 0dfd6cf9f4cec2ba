import { BlockList, isIP } from 'node:net';
import { Agent, request } from 'undici';
import { createLookup, type Resolve } from './dns-lookup.ts';

/**
 * The one door to addresses that somebody else chose (callbacks, status checks, registrations). Public addresses only,
 * judged when the connection is made, so that a name that changes its answer after a check gains nothing; no redirects; caps
 * on size and time.
 */

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
/** Of IPv6 only this is public; within it, the ranges that wrap an IPv4 address or lead nowhere are not. */
const PUBLIC_V6 = ['2000::', 3] as const;
const NOT_PUBLIC_V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;

const makeLists = () => {
  const notPublic = new BlockList();
  for (const [network, bits] of NOT_PUBLIC_V4) notPublic.addSubnet(network, bits, 'ipv4');
  for (const [network, bits] of NOT_PUBLIC_V6) notPublic.addSubnet(network, bits, 'ipv6');
  const publicV6 = new BlockList();
  publicV6.addSubnet(...PUBLIC_V6, 'ipv6');
  return { notPublic, publicV6 };
};

/** Made when the first address is judged: a start judges none. */
let lists: ReturnType<typeof makeLists> | undefined;

/** Whether an IP address is one that the public internet can reach. */
export const isPublicAddress = (address: string): boolean => {
  const { notPublic, publicV6 } = (lists ??= makeLists());
  const family = isIP(address);
  if (family === 4) return !notPublic.check(address, 'ipv4');
  if (family === 6) return publicV6.check(address, 'ipv6') && !notPublic.check(address, 'ipv6');
  return false;
};

const isLoopback = (address: string): boolean => address.startsWith('127.') || address === '::1';

/**
 * Of the ports below 1024 only the two of the web, and above them none that the Fetch standard blocks: behind the others are services
 * (mail, files, remote shells) that may read an HTTP request as words of their own.
 */
const BLOCKED_PORTS = new Set([
  1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10_080,
]);
const isWebPort = (port: string): boolean => {
  if (port === '' || port === '80' || port === '443') return true;
  return Number(port) >= 1024 && !BLOCKED_PORTS.has(Number(port));
};

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
  /** Milliseconds for the whole exchange. */
  timeoutMs?: number;
  /** Bytes of the answer's body. */
  maxBytes?: number;
  /** Only the status and the headers are wanted: however large or slow the rest is, it is thrown away. */
  discardBody?: boolean;
  /** Breaks the call off. */
  signal?: AbortSignal;
};

export type SafeFetch = {
  (url: string, request?: SafeFetchRequest): Promise<SafeFetchResult>;
  close(): Promise<void>;
};

class NotPublic extends Error {}
class TooLarge extends Error {}

/** @throws TooLarge */
const gather = async (body: AsyncIterable<Buffer>, maxBytes: number): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new TooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

/** Words before an answer (status 1xx): one or two are usual, and without end they are nothing but work. */
const MAX_HINTS = 20;

/** Bytes and milliseconds that a body gets which nobody reads: a short one ends in it, and its line can be used again. */
const DISCARD_BYTES = 16_384;
const DISCARD_MS = 200;

/** Lets the rest of an answer go. What it is does not matter any more, nor that it breaks off. */
const discard = async (body: { dump(options: { limit: number; signal: AbortSignal }): Promise<unknown> }) => {
  const over = AbortSignal.timeout(DISCARD_MS);
  await body.dump({ limit: DISCARD_BYTES, signal: over }).catch((error: unknown) => {
    if (!over.aborted) throw error;
  });
  return Buffer.alloc(0);
};

/**
 * @param options.allowLoopback lets this machine itself be reached: development and tests only.
 * @param options.resolve stands in for the name service in tests.
 */
export const createSafeFetch = (options: { allowLoopback: boolean; resolve?: Resolve }): SafeFetch => {
  const allowed = (address: string): boolean =>
    isPublicAddress(address) || (options.allowLoopback && isLoopback(address));

  const lookup = createLookup({
    resolve: options.resolve,
    refusal: (host, found) =>
      found.length > 0 && found.every(({ address }) => allowed(address)) ? undefined : new NotPublic(host),
  });

  const agent = new Agent({ connect: { lookup, timeout: 5000 }, maxHeaderSize: 16_384 });

  const failed = (failure: SafeFetchFailure, cause: string): SafeFetchResult => ({ ok: false, failure, cause });

  const run = async (url: string, wanted: SafeFetchRequest = {}): Promise<SafeFetchResult> => {
    const parsed = URL.parse(url);
    if (parsed === null || !/^https?:$/u.test(parsed.protocol) || parsed.username !== '' || parsed.password !== '') {
      return failed('bad_address', 'Only plain http and https addresses can be called.');
    }
    if (!isWebPort(parsed.port)) return failed('bad_address', 'That port is not one of the web.');
    const host = parsed.hostname.replace(/^\[|\]$/gu, '');
    // A literal address never goes through the name service, so it is judged here. URL has made one form of all spellings.
    if (isIP(host) !== 0 && !allowed(host)) return failed('not_public', 'That address is not on the public internet.');

    const { timeoutMs = 10_000, maxBytes = 1_000_000 } = wanted;
    const overdue = AbortSignal.timeout(timeoutMs);
    const chatter = new AbortController();
    let hints = 0;
    try {
      const answer = await request(parsed, {
        method: wanted.method ?? 'GET',
        headers: wanted.headers ?? {},
        body: wanted.body ?? null,
        dispatcher: agent,
        signal: AbortSignal.any([overdue, chatter.signal, ...(wanted.signal === undefined ? [] : [wanted.signal])]),
        onInfo: () => {
          hints += 1;
          if (hints > MAX_HINTS) chatter.abort();
        },
      });
      // 304 leads nowhere: what the caller has is still so.
      const redirected = answer.statusCode >= 300 && answer.statusCode < 400 && answer.statusCode !== 304;
      const body =
        redirected || wanted.discardBody === true ? await discard(answer.body) : await gather(answer.body, maxBytes);
      if (redirected) return failed('redirect', 'The address leads elsewhere.');
      const headers: Record<string, string> = {};
      for (const [name, value] of Object.entries(answer.headers)) {
        if (value !== undefined) headers[name] = Array.isArray(value) ? value.join(', ') : value;
      }
      return { ok: true, status: answer.statusCode, headers, body };
    } catch (error) {
      if (error instanceof NotPublic) return failed('not_public', 'That name does not lead to the public internet.');
      if (error instanceof TooLarge) return failed('too_large', `The answer is larger than ${maxBytes} bytes.`);
      if (wanted.signal?.aborted === true) return failed('aborted', 'The call was broken off.');
      const name = error instanceof Error ? error.name : '';
      if (name === 'TimeoutError' || name === 'ConnectTimeoutError') return failed('timeout', 'No answer in time.');
      return failed('unreachable', 'The address could not be reached.');
    }
  };

  return Object.assign(run, {
    close: async () => {
      await agent.destroy();
    },
  });
};
