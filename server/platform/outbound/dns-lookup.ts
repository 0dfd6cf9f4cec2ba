import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { asError } from '../../wire/values.ts';

type ResolvedAddress = { address: string; family: number };
export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** `localhost` and names below it lead to this machine by definition (RFC 6761), and not every name service knows the latter. */
const LOCAL_NAME = /(?:^|\.)localhost\.?$/iu;

/**
 * Resolves host names for outgoing connections.
 * @param parts.resolve stands in for the name service in tests
 * @param parts.refusal judges the very addresses that are connected to: there is no second look-up to lie in
 */
export const createLookup = (
  parts: {
    resolve?: Resolve | undefined;
    refusal?: (host: string, found: ResolvedAddress[]) => Error | undefined;
  } = {},
): LookupFunction => {
  const { resolve = systemResolve, refusal } = parts;
  return (host, options, done) => {
    const resolved = LOCAL_NAME.test(host) ? Promise.resolve([{ address: '127.0.0.1', family: 4 }]) : resolve(host);
    resolved.then(
      (found) => {
        const [first] = found;
        const refused = refusal?.(host, found);
        if (refused !== undefined) done(refused, '', 0);
        else if (first === undefined) done(new Error(`nobody knows the name ${host}`), '', 0);
        else if (options.all === true) done(null, found);
        else done(null, first.address, first.family);
      },
      (error: unknown) => done(asError(error), '', 0),
    );
  };
};
