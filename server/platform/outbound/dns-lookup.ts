import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { asError } from '../../wire/values.ts';

type ResolvedAddress = { address: string; family: number };
/** Returns all addresses of a host name. */
export type Resolver = (host: string) => Promise<ResolvedAddress[]>;

const systemResolve: Resolver = (host) => lookup(host, { all: true, verbatim: true });

/** `localhost` and names below it mean this machine (RFC 6761, 6.3). Not every resolver knows the names below it. */
const LOCAL_NAME = /(?:^|\.)localhost\.?$/iu;

/**
 * Creates the DNS look-up of outgoing connections.
 * @param parts.resolve replaces the system resolver in tests
 * @param parts.refusal returns an error for addresses that must not be connected to. The connection uses the addresses
 * that were checked: there is no second look-up.
 */
export const createLookup = (
  parts: {
    resolve?: Resolver | undefined;
    refusal?: (host: string, addresses: ResolvedAddress[]) => Error | undefined;
  } = {},
): LookupFunction => {
  const { resolve = systemResolve, refusal } = parts;
  return (host, options, callback) => {
    const resolution = LOCAL_NAME.test(host) ? Promise.resolve([{ address: '127.0.0.1', family: 4 }]) : resolve(host);
    resolution.then(
      (addresses) => {
        const [firstAddress] = addresses;
        const refusalError = refusal?.(host, addresses);
        if (refusalError !== undefined) callback(refusalError, '', 0);
        else if (firstAddress === undefined) callback(new Error(`the name ${host} cannot be resolved`), '', 0);
        else if (options.all === true) callback(null, addresses);
        else callback(null, firstAddress.address, firstAddress.family);
      },
      (error: unknown) => callback(asError(error), '', 0),
    );
  };
};
