import type { IncomingMessage } from 'node:http';
import { Failure } from '../../failure.ts';

/**
 * Rejects repeated `Host` headers (RFC 9112, section 3.2), because a proxy and Node may use different ones.
 * @throws Failure invalid_input
 */
export const rejectRepeatedHost = ({ rawHeaders }: IncomingMessage): void => {
  let hostCount = 0;
  // Names and values alternate.
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]?.toLowerCase() === 'host') hostCount += 1;
  if (hostCount > 1) throw new Failure('invalid_input', 'Send one Host header.', { headers: { connection: 'close' } });
};
