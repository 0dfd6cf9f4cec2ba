import { lookup } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { asError } from '../../wire/values.ts';

type ResolvedAddress = { address: string; family: number };
export type Resolver = (host: string) => Promise<ResolvedAddress[]>;

const systemResolve: Resolver = (host) => lookup(host, { all: true, verbatim: true });

/**
 * `localhost` and names below it resolve to this machine (RFC 6761, section 6.3). Not every resolver knows the latter.
 */
const LOCAL_NAME = /(?:^|\.)localhost\.?$/iu;

/**
 * Creates the DNS look-up of outgoing connections. A connection uses the checked addresses: there is no second look-up.
 * @param parts.resolve replaces the system resolver in tests
 */
export const createLookup = (
  parts: {
    resolve?: Resolver | undefined;
    refusalOf?: (host: string, addresses: ResolvedAddress[]) => Error | undefined;
  } = {},
): LookupFunction => {
  const { resolve = systemResolve, refusalOf } = parts;
  return (host, options, callback) => {
    const resolution = LOCAL_NAME.test(host) ? Promise.resolve([{ address: '127.0.0.1', family: 4 }]) : resolve(host);
    resolution.then(
      (addresses) => {
        const [firstAddress] = addresses;
        const refusal = refusalOf?.(host, addresses);
        if (refusal !== undefined) callback(refusal, '', 0);
        else if (firstAddress === undefined) callback(new Error(`the name ${host} cannot be resolved`), '', 0);
        else if (options.all === true) callback(null, addresses);
        else callback(null, firstAddress.address, firstAddress.family);
      },
      (error: unknown) => callback(asError(error), '', 0),
    );
  };
};
