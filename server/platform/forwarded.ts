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

/**
 * Whom a call counts for that comes from a proxy on this machine: the address that the proxy was called from, which it puts at the end. Good for bounds only: a program on this
 * machine, which may do as it likes anyway, could write what it wants.
 */
export const throughOwnProxy = ({ headers }: IncomingMessage): string | undefined => {
  const header = headers['x-forwarded-for'];
  if (typeof header !== 'string') return undefined;
  const address = header.slice(header.lastIndexOf(',') + 1).trim();
  return isIP(address) === 0 ? undefined : address;
};
