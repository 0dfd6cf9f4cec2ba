import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import type { Resolve } from '../../platform/safe-fetch.ts';

/** Names below `localhost` lead to this machine by definition (RFC 6761), and not every name service knows it. */
const IS_LOCAL = /(?:^|\.)localhost\.?$/iu;

/** How names of relays and of this PDA are looked up. @param resolve stands in for the name service in tests */
export const createLookup = (resolve: Resolve | undefined): LookupFunction => {
  return (host, options, done) => {
    const answer = (found: { address: string; family: number }[]): void => {
      const [first] = found;
      if (first === undefined) done(new Error(`nobody knows the name ${host}`), '', 0);
      else if (options.all === true) done(null, found);
      else done(null, first.address, first.family);
    };
    if (IS_LOCAL.test(host)) answer([{ address: '127.0.0.1', family: 4 }]);
    else if (resolve === undefined) systemLookup(host, options, done);
    else {
      resolve(host).then(answer, (error: unknown) =>
        done(error instanceof Error ? error : new Error(String(error)), '', 0),
      );
    }
  };
};
