import { Failure } from '../../../../platform/failure.ts';
import type { DebitProposal } from '../../../../wire/debits.ts';

/**
 * How much others may ask for. Each request is kept, shown to the owner and told; without bounds one application could fill the disk, and the
 * page on which the owner decides.
 */

/** Characters of one request, as JSON. */
const MAX_PROPOSAL_CHARS = 100_000;
/** Data Debits of one requester that wait for the owner. */
const MAX_WAITING = 50;
/** Times that something was asked for under one key. */
const MAX_PERMISSIONS = 100;

/** @throws Failure too_large */
export const refuseTooLong = (proposal: DebitProposal): void => {
  if (JSON.stringify(proposal).length <= MAX_PROPOSAL_CHARS) return;
  throw new Failure('too_large', `A request has at most ${MAX_PROPOSAL_CHARS} characters. Nothing was changed.`);
};

/** @throws Failure rate_limited */
export const refuseTooManyWaiting = (waiting: number): void => {
  if (waiting < MAX_WAITING) return;
  throw new Failure('rate_limited', `${waiting} requests of yours wait for the owner already. Nothing was changed.`);
};

/** @throws Failure rate_limited */
export const refuseTooManyPermissions = (permissions: number): void => {
  if (permissions < MAX_PERMISSIONS) return;
  throw new Failure('rate_limited', `This Data Debit was changed ${permissions} times already. Nothing was changed.`);
};
