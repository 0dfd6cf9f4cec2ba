import type { IncomingMessage } from 'node:http';
import { Failure } from '../../failure.ts';

/** Length of `Host`. Names of other lengths are skipped without a comparison. */
const HOST_NAME_CHARS = 4;

/**
 * Rejects a request with more than one `Host` header (RFC 9112, 3.2). Node uses the first header; a proxy may have
 * routed by or checked another. `rawHeaders` contains names and values alternately.
 * @throws Failure invalid_input
 */
export const rejectRepeatedHost = ({ rawHeaders }: IncomingMessage): void => {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length === HOST_NAME_CHARS && name.toLowerCase() === 'host') hosts += 1;
  }
  if (hosts > 1) throw new Failure('invalid_input', 'Send one Host header.', { headers: { connection: 'close' } });
};
