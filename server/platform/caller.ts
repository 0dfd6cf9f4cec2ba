import type { IncomingMessage } from 'node:http';
import { VISITOR } from './principal.ts';
import type { Caller } from './route.ts';
import { newTrace } from './trace.ts';

const LOOPBACK_ADDRESS = /^(?:127\.|::1$|::ffff:127\.)/u;
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/u;

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
    local: LOOPBACK_ADDRESS.test(address) && LOOPBACK_HOST.test(call.host),
    userAgent: request.headers['user-agent'] ?? '',
    trace: newTrace(),
    headersOnly: request.method === 'HEAD',
    longRead: () => undefined,
  };
};
