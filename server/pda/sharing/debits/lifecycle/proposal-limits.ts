import { Failure } from '../../../../platform/failure.ts';
import type { DebitProposal } from '../../../../wire/debits.ts';
import { DEBIT_KEY_REQUESTS_MAX_BYTES, APPLICATION_REQUESTS_MAX_BYTES } from '../../../../wire/work-limits.ts';
import type { StoredDebit } from '../permissions/mapping.ts';
import type { DebitStore } from '../store.ts';

// Limits of Data Debit requests. Without them, an application could fill the disk and the owner's list of requests.

const MAX_PROPOSAL_CHARS = 100_000;
const MAX_PENDING_REQUESTS = 50;
/** Includes permissions that the owner's changes added. */
const MAX_PERMISSIONS_PER_KEY = 100;

/** @throws Failure too_large */
export const refuseTooLong = (proposal: DebitProposal): void => {
  if (JSON.stringify(proposal).length <= MAX_PROPOSAL_CHARS) return;
  throw new Failure('too_large', `The request has more than ${MAX_PROPOSAL_CHARS} characters. Nothing was changed.`);
};

/** @throws Failure rate_limited | too_large */
export const refuseTooManyRequests = (
  store: Pick<DebitStore, 'pendingCount' | 'requestedBytes'>,
  requester: StoredDebit['requester'],
): void => {
  const pending = store.pendingCount(requester);
  if (pending >= MAX_PENDING_REQUESTS)
    throw new Failure(
      'rate_limited',
      `${pending} requests of this requester are pending. The owner must decide on them first. Nothing was changed.`,
    );
  // The total byte limit per application does not apply to Offers: several can have the same requester, so a few large
  // ones would block the others.
  if (requester.kind === 'application') refuseTooManyBytes(store, requester.name);
};

/** @param application undefined for an Offer @throws Failure rate_limited | too_large */
export const refuseTooManyChanges = (
  store: Pick<DebitStore, 'requestedBytes' | 'requestedBytesOf'>,
  { id, permissions }: Pick<StoredDebit, 'id' | 'permissions'>,
  application: string | undefined,
): void => {
  if (permissions.length >= MAX_PERMISSIONS_PER_KEY)
    throw new Failure(
      'rate_limited',
      `This Data Debit has ${permissions.length} permissions, and the limit is ${MAX_PERMISSIONS_PER_KEY}. ` +
        'Nothing was changed. Use another key.',
    );
  const bytes = store.requestedBytesOf(id);
  if (bytes >= DEBIT_KEY_REQUESTS_MAX_BYTES)
    throw new Failure(
      'too_large',
      `The requests under this key total ${bytes} bytes, and the limit is ${DEBIT_KEY_REQUESTS_MAX_BYTES}. ` +
        'Nothing was changed. Use another key.',
    );
  if (application !== undefined) refuseTooManyBytes(store, application);
};

/** Decided requests also count, because they stay stored. @throws Failure too_large */
const refuseTooManyBytes = (store: Pick<DebitStore, 'requestedBytes'>, application: string): void => {
  const bytes = store.requestedBytes(application);
  if (bytes < APPLICATION_REQUESTS_MAX_BYTES) return;
  throw new Failure(
    'too_large',
    `Your requests total ${bytes} bytes, and the limit is ${APPLICATION_REQUESTS_MAX_BYTES}. ` +
      'Nothing was changed. Requests under Data Debits that the owner removes no longer count.',
  );
};
