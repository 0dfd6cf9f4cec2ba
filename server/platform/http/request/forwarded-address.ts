import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Reads the caller's address behind a number of trusted proxies. Each appends the address that it was called from to `x-forwarded-for`; entries before
 * those may be forged. Undefined without proxies, and where the header has fewer entries than proxies: the request came past one of them, and only the
 * address of its connection is certain.
 */
export const forwardedAddress =
  (proxies: number) =>
  (request: IncomingMessage): string | undefined => {
    const header = request.headers['x-forwarded-for'];
    if (proxies === 0 || typeof header !== 'string') return undefined;
    const address = header.split(',').at(-proxies)?.trim() ?? '';
    return isIP(address) === 0 ? undefined : address;
  };
