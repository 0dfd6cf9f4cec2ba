import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { asError } from '../../wire/values.ts';

type ResolvedAddress = { address: string; family: number };
export type Resolve = (host: string) => Promise<ResolvedAddress[]>;

const systemResolve: Resolve = (host) => lookup(host, { all: true, verbatim: true });

/** `localhost` and names below it always mean this machine (RFC 6761, 6.3); not every resolver knows the latter. */
const LOCAL_NAME = /(?:^|\.)localhost\.?$/iu;

/**
 * Creates the DNS look-up of outgoing connections.
 * @param parts.resolve replaces the system resolver in tests
 * @param parts.refusal checks the addresses that are then connected to; no second look-up could return others
 */
export const createLookup = (
  parts: {
    resolve?: Resolve | undefined;
    refusal?: (host: string, addresses: ResolvedAddress[]) => Error | undefined;
  } = {},
): LookupFunction => {
  const { resolve = systemResolve, refusal } = parts;
  return (host, options, done) => {
    const resolved = LOCAL_NAME.test(host) ? Promise.resolve([{ address: '127.0.0.1', family: 4 }]) : resolve(host);
    resolved.then(
      (addresses) => {
        const [first] = addresses;
        const refused = refusal?.(host, addresses);
        if (refused !== undefined) done(refused, '', 0);
        else if (first === undefined) done(new Error(`the name ${host} cannot be resolved`), '', 0);
        else if (options.all === true) done(null, addresses);
        else done(null, first.address, first.family);
      },
      (error: unknown) => done(asError(error), '', 0),
    );
  };
};
