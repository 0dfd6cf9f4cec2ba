import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Who calls, behind so many proxies of one's own (balancers): each puts the address that it was called from at the end of `x-forwarded-for`, and what
 * stands before those was written by whoever called. With none the header counts for nothing.
 */
export const forwardedAddress =
  (proxies: number) =>
  (request: IncomingMessage): string | undefined => {
    const header = request.headers['x-forwarded-for'];
    if (proxies === 0 || typeof header !== 'string') return undefined;
    const address = header.split(',').at(-proxies)?.trim() ?? '';
    return isIP(address) === 0 ? undefined : address;
  };
