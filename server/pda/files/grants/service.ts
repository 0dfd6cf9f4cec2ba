import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { EventService } from '../../core/events/service.ts';
import type { UserService } from '../../identity/users/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { TargetGrantRow, GrantStore } from './store.ts';

type GrantParts = {
  users: Pick<UserService, 'exists' | 'nameOf'>;
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
};

type GrantTargets = {
  store: GrantStore;
  requireTarget: (target: string) => void;
  /** Maximum number of grants. */
  max: number;
  /** Plural noun for the targets in error messages: `folders` or `collections`. */
  plural: string;
};

export type GrantService = ReturnType<typeof createGrantService>;

/** Shares folders or collections with users. */
export const createGrantService = (parts: GrantParts, { store, requireTarget, max, plural }: GrantTargets) => {
  const { users, writer, events, clock } = parts;

  /** Returns an existing or a new grant. Checks neither the target, nor the user, nor the maximum. */
  const grantWithin = (tx: Transaction, target: string, userId: string): TargetGrantRow => {
    const existing = store.find(userId, target);
    if (existing !== undefined) return existing;
    const newGrant: TargetGrantRow = { id: randomUUID(), user_id: userId, target, created: clock.now() };
    store.insert(tx, newGrant);
    events.notify(tx, 'files');
    return newGrant;
  };

  return {
    grantWithin,
    list: (): TargetGrantRow[] => store.list(),

    /**
     * Shares a target with a user, and returns the grant. Has no effect if there is a grant already.
     * @throws Failure not_found for an unknown user, folder or collection | wrong_state at the maximum number of grants
     */
    share: (target: string, userId: string): Promise<TargetGrantRow> =>
      writer.write((tx) => {
        if (!users.exists(tx, userId)) throw new Failure('not_found', 'There is no such user. Nothing was shared.');
        requireTarget(target);
        if (store.find(userId, target) === undefined && store.count() >= max)
          throw new Failure(
            'wrong_state',
            `${max} ${plural} are shared, counted once per user. Stop sharing some of them first.`,
          );
        return grantWithin(tx, target, userId);
      }),

    /**
     * Ends a grant, and with it the running downloads that depend on it. Returns the former grant.
     * @throws Failure not_found
     */
    unshare: (grantId: string): Promise<TargetGrantRow> =>
      writer.write((tx) => {
        const row = store.findById(grantId);
        if (row === undefined) throw new Failure('not_found', 'This is no longer shared.');
        store.remove(tx, grantId);
        events.notify(tx, 'files');
        return row;
      }),
  };
};
