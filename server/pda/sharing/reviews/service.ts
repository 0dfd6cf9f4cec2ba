import { Failure, ignoring } from '../../../platform/failure.ts';
import { ownerSessionOf, type Principal } from '../../../platform/auth/principal.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { Review, ReviewStore, Subject } from './store.ts';

export type { Review, Subject } from './store.ts';

/** What an approval refers to. */
export type ReviewApproval = {
  /** The owner session that approves; undefined for a caller without a session, such as the desktop app. */
  session?: string | undefined;
  /** The version that the caller names; undefined when it names none. */
  version?: string | undefined;
};

/** Records which version of a request each owner session was shown, and refuses to approve another one. */
export type ReviewService = {
  /** Records what a response shows to an owner session. Other callers are ignored. Nothing is written when nothing changed. */
  record(principal: Principal, reviews: readonly Review[]): Promise<void>;
  /**
   * Follows a change that the session itself makes, in the same transaction. A session that only ever decided, and never read, still counts as
   * one that never read.
   */
  recordWithin(tx: Transaction, session: string | undefined, review: Review): void;
  /**
   * Every approval of the owner passes here, in the transaction that makes it. A caller that names a version approves that version only; one
   * that names none approves what its session was last shown, or, when the session never read it, whatever is pending (interface, "enable").
   * @param current the version that would be approved now
   * @throws Failure wrong_state
   */
  requireReviewed(tx: Transaction, subject: Subject, current: string, approval: ReviewApproval): void;
  /** Forgets all reviews of a subject that is erased. */
  removeWithin(tx: Transaction, subject: Subject): void;
};

const changedMeanwhile = (): Failure =>
  new Failure(
    'wrong_state',
    'The request has changed since it was shown. Review the current version. Nothing was changed.',
  );

export const createReviewService = (parts: { store: ReviewStore; writer: Writer }): ReviewService => {
  const { store, writer } = parts;
  return {
    async record(principal, reviews) {
      const session = ownerSessionOf(principal);
      if (session === undefined) return;
      const changed = reviews.filter(({ subject, version }) => store.find(session, subject) !== version);
      if (changed.length === 0) return;
      // A full disk must not keep the owner from reading. Nothing can be requested or approved then either.
      await writer.write((tx) => store.save(tx, session, changed)).catch(ignoring('out_of_disk'));
    },

    recordWithin(tx, session, review) {
      if (session !== undefined) store.update(tx, session, review);
    },

    requireReviewed(_tx, subject, current, { session, version }) {
      if (version !== undefined) {
        if (version !== current) throw changedMeanwhile();
        return;
      }
      const shown = session === undefined ? undefined : store.find(session, subject);
      if (shown !== undefined && shown !== current) throw changedMeanwhile();
    },

    removeWithin: store.remove,
  };
};
