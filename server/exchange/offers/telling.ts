import type { Log } from '../../platform/log.ts';
import { urlOfPda } from '../../platform/pda-address.ts';
import type { SafeFetch } from '../../platform/safe-fetch.ts';

/** Milliseconds that a PDA gets to answer: its provider waits for it. One that does not hear it finds its claim when it looks itself. */
const TELL_MS = 5000;

/** A token by which the PDA at this address can be sure that it is the exchange that speaks to it. `issuer`: our host as the PDA knows it. */
export type TokenForPda = (pdaAddress: string, issuer: string) => Promise<string>;

/** Tells a PDA that a provider has registered a claim for it: it fetches the claim itself and proposes the Data Debit to its owner. */
export const createTelling = (parts: { tokenForPda: TokenForPda; fetch: SafeFetch; log: Log }) => {
  const { tokenForPda, fetch, log } = parts;
  return async (pdaAddress: string, offerId: string, issuer: string): Promise<void> => {
    const answer = await fetch(`${urlOfPda(pdaAddress)}/api/v2.6/exchange/claims`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-token': await tokenForPda(pdaAddress, issuer) },
      body: JSON.stringify({ offerId }),
      timeoutMs: TELL_MS,
      discardBody: true,
    });
    if (!answer.ok)
      log.info({ pda: pdaAddress, offerId, failure: answer.failure }, 'a PDA could not be told of a claim');
    else if (answer.status >= 300)
      log.info({ pda: pdaAddress, offerId, status: answer.status }, 'a PDA did not take the news of a claim');
  };
};
