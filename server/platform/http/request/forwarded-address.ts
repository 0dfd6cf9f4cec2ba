import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Creates a function that returns the client address behind a number of trusted proxies. Each proxy appends the
 * address of its client to `x-forwarded-for`; earlier entries may be forged. The address is undefined without
 * proxies, and if the header has fewer entries than proxies: the request bypassed one of them, and only the address
 * of its connection is certain.
 */
export const forwardedAddress =
  (proxies: number) =>
  (request: IncomingMessage): string | undefined => {
    const header = request.headers['x-forwarded-for'];
    if (proxies === 0 || typeof header !== 'string') return undefined;
    const address = header.split(',').at(-proxies)?.trim() ?? '';
    return isIP(address) === 0 ? undefined : address;
  };
