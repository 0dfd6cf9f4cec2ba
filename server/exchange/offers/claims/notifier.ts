import type { Log } from '../../../platform/log.ts';
import { urlOfPda } from '../../../platform/outbound/pda-address.ts';
import type { SafeFetch } from '../../../platform/outbound/safe-fetch.ts';
import type { AccountService } from '../../accounts/service.ts';

/**
 * This timeout is short, because the provider's request waits for the notification. A PDA that misses the notification
 * finds the claim by polling.
 */
const NOTIFICATION_TIMEOUT_MS = 5000;

export type ClaimNotifier = ReturnType<typeof createClaimNotifier>;

/** Creates a function that notifies a PDA of a claim. If the request fails, the failure is logged and not thrown. */
export const createClaimNotifier = (parts: {
  signTokenForPda: AccountService['signTokenForPda'];
  fetch: SafeFetch;
  log: Log;
}) => {
  const { signTokenForPda, fetch, log } = parts;
  return async (pdaAddress: string, offerId: string, issuer: string): Promise<void> => {
    const response = await fetch(`${urlOfPda(pdaAddress)}/api/v2.6/exchange/claims`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-auth-token': await signTokenForPda(pdaAddress, issuer) },
      body: JSON.stringify({ offerId }),
      timeoutMs: NOTIFICATION_TIMEOUT_MS,
      discardBody: true,
    });
    if (!response.ok)
      log.info({ pda: pdaAddress, offerId, failure: response.failure }, 'could not notify a PDA of a claim');
    else if (response.status >= 300)
      log.info(
        { pda: pdaAddress, offerId, status: response.status },
        'a PDA did not accept the notification of a claim',
      );
  };
};
