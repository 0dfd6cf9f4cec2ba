import type { IncomingMessage } from 'node:http';
import type { ConnectionOrigin } from '../http/listener.ts';
import { ANONYMOUS } from './principal.ts';
import type { Caller } from '../http/route.ts';
import { createAccessTrace } from './access-trace.ts';

const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/u;
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/u;

/**
 * Returns true if headers show a proxy. Their absence proves nothing. A loop over the names of the headers would be ten
 * times slower.
 */
export const isForwarded = ({ headers }: IncomingMessage): boolean =>
  headers.forwarded !== undefined ||
  headers.via !== undefined ||
  headers['x-forwarded-for'] !== undefined ||
  headers['x-forwarded-host'] !== undefined ||
  headers['x-forwarded-proto'] !== undefined ||
  headers['x-real-ip'] !== undefined;

export const isLoopback = (address: string, host: string): boolean =>
  LOOPBACK_ADDRESS.test(address) && LOOPBACK_HOST.test(host);

/** Returns true for a request of a web page whose origin is not this machine. Programs and links send no `Origin`. */
const isFromRemotePage = ({ headers: { origin } }: IncomingMessage): boolean =>
  origin !== undefined && !LOOPBACK_HOST.test(URL.parse(origin)?.host ?? '');

export const callerOf = (
  request: IncomingMessage,
  {
    origin,
    ...connection
  }: {
    host: string;
    requestId: string;
    signal: () => AbortSignal;
    cookie: (name: string) => string | undefined;
    /** Only connections to the server's own port can be local, regardless of headers. */
    origin: ConnectionOrigin;
    address: string;
  },
): Caller => {
  return {
    ...connection,
    principal: ANONYMOUS,
    local:
      origin === 'own' &&
      isLoopback(connection.address, connection.host) &&
      !isForwarded(request) &&
      !isFromRemotePage(request),
    userAgent: request.headers['user-agent'] ?? '',
    trace: createAccessTrace(),
    headersOnly: request.method === 'HEAD',
    admitLongRead: () => undefined,
    requireRight: () => undefined,
  };
};
