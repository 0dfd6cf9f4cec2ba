import type { IncomingMessage } from 'node:http';
import { VISITOR } from './principal.ts';
import type { Caller } from './route.ts';
import { newTrace } from './trace.ts';

const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/u;
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/u;

/**
 * Whoever passes requests on for others says so, in most cases: a proxy of one's own that calls this server by an address of this machine brings strangers,
 * and they are not at it. Written out: it is asked of each request, and a loop over names takes ten times as long.
 */
export const isPassedOn = ({ headers }: IncomingMessage): boolean =>
  headers.forwarded !== undefined ||
  headers.via !== undefined ||
  headers['x-forwarded-for'] !== undefined ||
  headers['x-forwarded-host'] !== undefined ||
  headers['x-forwarded-proto'] !== undefined ||
  headers['x-real-ip'] !== undefined;

/** Whether an address and the host that was called are both of this machine. */
export const isLoopback = (address: string, host: string): boolean =>
  LOOPBACK_ADDRESS.test(address) && LOOPBACK_HOST.test(host);

/**
 * Whether a page that is not of this machine makes this call, in the browser of whoever sits at it: that is its author's call. Pages of this
 * machine, such as the dashboard's, say so as well; programs and a person who follows a link say nothing.
 */
const isOfForeignPage = ({ headers: { origin } }: IncomingMessage): boolean =>
  origin !== undefined && !LOOPBACK_HOST.test(URL.parse(origin)?.host ?? '');

/** Where a request comes from; its sender is a visitor until a token says more. */
export const callerOf = (
  request: IncomingMessage,
  call: { host: string; requestId: string; signal: () => AbortSignal; address?: string | undefined },
): Caller => {
  const address = call.address ?? request.socket.remoteAddress ?? '';
  return {
    ...call,
    principal: VISITOR,
    address,
    local: isLoopback(address, call.host) && !isPassedOn(request) && !isOfForeignPage(request),
    userAgent: request.headers['user-agent'] ?? '',
    trace: newTrace(),
    headersOnly: request.method === 'HEAD',
    longRead: () => undefined,
  };
};
