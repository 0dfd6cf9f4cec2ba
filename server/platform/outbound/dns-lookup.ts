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
  return (host, options, callback) => {
    const resolved = LOCAL_NAME.test(host) ? Promise.resolve([{ address: '127.0.0.1', family: 4 }]) : resolve(host);
    resolved.then(
      (addresses) => {
        const [first] = addresses;
        const refusalError = refusal?.(host, addresses);
        if (refusalError !== undefined) callback(refusalError, '', 0);
        else if (first === undefined) callback(new Error(`the name ${host} cannot be resolved`), '', 0);
        else if (options.all === true) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(asError(error), '', 0),
    );
  };
};
