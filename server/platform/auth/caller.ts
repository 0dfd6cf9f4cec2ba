import type { IncomingMessage } from 'node:http';
import type { ConnectionOrigin } from '../http/listener.ts';
import { VISITOR } from './principal.ts';
import type { Caller } from '../http/route.ts';
import { newTrace } from './access-trace.ts';

const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/u;
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/u;

/**
 * Whether a proxy says that it forwards this request. Written out rather than as a loop: it runs for every request, and a loop over names takes ten times
 * as long. A forwarder may add no header, so its absence proves nothing.
 */
export const isForwarded = ({ headers }: IncomingMessage): boolean =>
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
 * Whether a page of another origin makes this call, in the browser of the owner's machine. Pages of this machine, such as the dashboard's, send an
 * `Origin` as well; programs and links that are followed send none.
 */
const isCrossOrigin = ({ headers: { origin } }: IncomingMessage): boolean =>
  origin !== undefined && !LOOPBACK_HOST.test(URL.parse(origin)?.host ?? '');

/** Describes where a request comes from. Its principal is anonymous until a token says more. */
export const callerOf = (
  request: IncomingMessage,
  {
    origin,
    ...call
  }: {
    host: string;
    requestId: string;
    signal: () => AbortSignal;
    /** The listener that accepted the connection: only `own` can be local, whatever the headers say. */
    origin: ConnectionOrigin;
    address: string;
  },
): Caller => {
  return {
    ...call,
    principal: VISITOR,
    local: origin === 'own' && isLoopback(call.address, call.host) && !isForwarded(request) && !isCrossOrigin(request),
    userAgent: request.headers['user-agent'] ?? '',
    trace: newTrace(),
    headersOnly: request.method === 'HEAD',
    longRead: () => undefined,
  };
};
