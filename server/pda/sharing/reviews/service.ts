import { Failure, ignoreFailures } from '../../../platform/failure.ts';
import { ownerSessionOf, type Principal } from '../../../platform/auth/principal.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { Review, ReviewStore, Subject } from './store.ts';

export type { Review } from './store.ts';

export type ReviewApproval = {
  /** Owner session that approves, if any. */
  session?: string | undefined;
  version?: string | undefined;
};

/** Records which version of a request each owner session read last, and refuses approvals of other versions. */
export type ReviewService = ReturnType<typeof createReviewService>;

const changedFailure = (): Failure =>
  new Failure(
    'wrong_state',
    'The request has changed since it was shown. Review the current version. Nothing was changed.',
  );

export const createReviewService = (parts: { store: ReviewStore; writer: Writer }) => {
  const { store, writer } = parts;
  return {
    /** Records the versions that the owner's session has read. Has no effect without an owner session. */
    async record(principal: Principal, reviews: readonly Review[]): Promise<void> {
      const session = ownerSessionOf(principal);
      if (session === undefined) return;
      const changedReviews = reviews.filter(({ subject, version }) => store.find(session, subject) !== version);
      if (changedReviews.length === 0) return;
      // A full disk must not prevent the owner from reading. Approvals fail while the disk is full.
      await writer.write((tx) => store.save(tx, session, changedReviews)).catch(ignoreFailures('out_of_disk'));
    },

    /** Replaces the version that a session read last. Has no effect if the session never read the subject. */
    recordWithin(tx: Transaction, session: string | undefined, review: Review): void {
      if (session !== undefined) store.update(tx, session, review);
    },

    /**
     * If the approval names a version, that version must be current. Otherwise, the version that its session read last
     * must be current, unless the session never read the subject.
     * @throws Failure wrong_state
     */
    requireReviewed(_tx: Transaction, subject: Subject, current: string, { session, version }: ReviewApproval): void {
      if (version !== undefined) {
        if (version !== current) throw changedFailure();
        return;
      }
      const reviewedVersion = session === undefined ? undefined : store.find(session, subject);
      if (reviewedVersion !== undefined && reviewedVersion !== current) throw changedFailure();
    },

    removeWithin: store.remove,
  };
};
