import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';

/**
 * Creates a function that returns the client address behind trusted proxies. Each proxy appends its client's address to
 * `x-forwarded-for`; earlier entries may be forged. The function returns undefined if there are no proxies, if the
 * entry is not an IP address, or if there are fewer entries than proxies, because the request bypassed a proxy.
 */
export const createForwardedAddressReader =
  (proxyCount: number) =>
  (request: IncomingMessage): string | undefined => {
    const header = request.headers['x-forwarded-for'];
    if (proxyCount === 0 || typeof header !== 'string') return undefined;
    const address = header.split(',').at(-proxyCount)?.trim() ?? '';
    return isIP(address) === 0 ? undefined : address;
  };
