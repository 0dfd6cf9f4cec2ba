import { Failure } from '../../../../platform/failure.ts';
import type { DebitProposal } from '../../../../wire/debits.ts';

/**
 * Limits of requests for Data Debits. Each request is stored, shown to the owner and reported by a webhook. Without
 * limits, one application could fill the disk and the page on which the owner decides.
 */

/** Maximum length of one request as JSON. */
const MAX_PROPOSAL_CHARS = 100_000;
/** Maximum number of pending requests of one requester. */
const MAX_PENDING_REQUESTS = 50;
/** Maximum number of requests per key. */
const MAX_REQUESTS_PER_KEY = 100;

/** Refuses a request that is too long. @throws Failure too_large */
export const refuseTooLong = (proposal: DebitProposal): void => {
  if (JSON.stringify(proposal).length <= MAX_PROPOSAL_CHARS) return;
  throw new Failure('too_large', `The request has more than ${MAX_PROPOSAL_CHARS} characters. Nothing was changed.`);
};

/** Refuses a request of a requester with too many pending requests. @throws Failure rate_limited */
export const refuseTooManyPending = (pending: number): void => {
  if (pending < MAX_PENDING_REQUESTS) return;
  throw new Failure(
    'rate_limited',
    `${pending} of your requests are pending already. Wait for the owner to decide. Nothing was changed.`,
  );
};

/** Refuses a request under a key with too many requests. @throws Failure rate_limited */
export const refuseTooManyPermissions = (permissions: number): void => {
  if (permissions < MAX_REQUESTS_PER_KEY) return;
  throw new Failure(
    'rate_limited',
    `This Data Debit has been changed ${permissions} times and cannot be changed again. Nothing was changed.`,
  );
};
