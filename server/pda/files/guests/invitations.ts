import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { createLoginThrottle, type LoginThrottle } from '../../../platform/limits/login-throttle.ts';
import {
  INVITATION_PATH,
  type Invitation,
  type IssuedInvitation,
  type NewInvitation,
} from '../../../wire/invitations.ts';
import { MAX_INVITATIONS } from '../../../wire/limits.ts';
import type { User } from '../../../wire/users.ts';
import type { EventService } from '../../core/events/service.ts';
import type { OwnerService, RequestOrigin } from '../../identity/owner/service.ts';
import type { UserService } from '../../identity/users/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { FileRow, FileStore } from '../store.ts';
import { hashOfToken, newInvitationToken, stateOfInvitation } from './rules.ts';
import type { GuestStore, InvitationRow } from './store.ts';

const DAY_MS = 86_400_000;

/** An invitation that was found by its token. */
export type FoundInvitation = { row: InvitationRow; state: Invitation['state'] };

export type InvitationParts = {
  store: GuestStore;
  files: Pick<FileStore, 'byFileId' | 'grant'>;
  users: Pick<UserService, 'create' | 'find'>;
  owner: Pick<OwnerService, 'accountLog' | 'refusePassword'>;
  /** Runs a password check within the limit of concurrent checks. */
  checkPassword: LoginThrottle['check'];
  writer: Writer;
  events: Pick<EventService, 'notify'>;
  clock: Clock;
};

export type InvitationService = ReturnType<typeof createInvitationService>;

const unknownInvitationFailure = (): Failure => new Failure('not_found', 'There is no such invitation.');
const endedInvitationFailure = (): Failure =>
  new Failure('wrong_state', 'This invitation has been accepted or revoked. Create a new one.');

/**
 * Manages invitations: the owner issues them, and the person who has the address accepts one by choosing a name and a
 * password. The user is created in the same transaction in which the invitation ends, so that it works only once.
 */
export const createInvitationService = (parts: InvitationParts) => {
  const { store, files, users, owner, writer, clock } = parts;
  const throttle = createLoginThrottle(clock);

  const requireInvitation = (invitationId: string): InvitationRow => {
    const row = store.byId(invitationId);
    if (row === undefined) throw unknownInvitationFailure();
    return row;
  };

  const userOf = ({ user_id: userId }: InvitationRow): Invitation['user'] => {
    const user = userId === null ? undefined : users.find(userId);
    return user === undefined ? null : { userId: user.userId, name: user.name };
  };

  const toInvitation = (row: InvitationRow): Invitation => ({
    invitationId: row.id,
    name: row.name,
    created: row.created,
    expires: row.expires,
    state: stateOfInvitation(row, clock.now()),
    accepted: row.accepted,
    user: userOf(row),
    files: store.files(row.id).map(({ file_id: fileId, name }) => ({ fileId, name })),
  });

  const seqsOf = (fileIds: readonly string[]): number[] =>
    fileIds.map((fileId) => {
      const row = files.byFileId(fileId);
      if (row?.status !== 'Completed')
        throw new Failure('not_found', `There is no file ${fileId}. Nothing was shared.`);
      return row.seq;
    });

  const issue = (row: InvitationRow, token: string): IssuedInvitation => ({
    invitation: toInvitation(row),
    path: `${INVITATION_PATH}/${token}`,
  });

  return {
    list: (): Invitation[] => store.list().map(toInvitation),

    /** @throws Failure not_found for an unknown file | wrong_state at the limit of invitations */
    create: ({ name, days, fileIds }: NewInvitation): Promise<IssuedInvitation> =>
      writer.write((tx) => {
        if (store.count() >= MAX_INVITATIONS)
          throw new Failure('wrong_state', `There are ${MAX_INVITATIONS} invitations. Remove some of them first.`);
        const token = newInvitationToken();
        const now = clock.now();
        const row: InvitationRow = {
          id: randomUUID(),
          token_hash: hashOfToken(token),
          name,
          created: now,
          expires: now + days * DAY_MS,
          revoked: null,
          accepted: null,
          user_id: null,
        };
        store.insert(tx, row, seqsOf(fileIds));
        parts.events.notify(tx, 'files');
        return issue(row, token);
      }),

    /** Replaces the address of an invitation and extends it. @throws Failure not_found | wrong_state if it has ended */
    renew: (invitationId: string, days: number): Promise<IssuedInvitation> =>
      writer.write((tx) => {
        const row = requireInvitation(invitationId);
        if (row.accepted !== null || row.revoked !== null) throw endedInvitationFailure();
        const token = newInvitationToken();
        const renewed = { ...row, token_hash: hashOfToken(token), expires: clock.now() + days * DAY_MS };
        store.update(tx, renewed);
        parts.events.notify(tx, 'files');
        return issue(renewed, token);
      }),

    /**
     * Revokes an open or expired invitation, which its page then shows. Removes an invitation that was accepted or revoked
     * before. Returns the invitation before the change.
     * @throws Failure not_found
     */
    async revoke(invitationId: string): Promise<Invitation> {
      // Not within the transaction, because it reads the committed users.
      const invitation = toInvitation(requireInvitation(invitationId));
      await writer.write((tx) => {
        const row = requireInvitation(invitationId);
        if (row.accepted !== null || row.revoked !== null) store.remove(tx, invitationId);
        else store.update(tx, { ...row, revoked: clock.now() });
        parts.events.notify(tx, 'files');
      });
      return invitation;
    },

    /** Returns the invitation with a token; undefined for an unknown token. */
    find(token: string): FoundInvitation | undefined {
      const row = store.byTokenHash(hashOfToken(token));
      return row === undefined ? undefined : { row, state: stateOfInvitation(row, clock.now()) };
    },

    /** Returns the files that are shared with the person who accepts. */
    filesOf: (row: InvitationRow): FileRow[] => store.files(row.id),

    /**
     * Creates the user of the person who accepts, and shares the files with them. Counts as an attempt.
     * @returns undefined if the invitation has ended in the meantime
     * @throws Failure already_exists if the name is taken | invalid_input if the password is too easy to guess |
     *   rate_limited | forbidden if a third party could read the password
     */
    async accept(
      { id }: InvitationRow,
      credentials: { name: string; password: string },
      from: RequestOrigin,
    ): Promise<User | undefined> {
      throttle.take(`invitation ${id}`);
      owner.refusePassword(from.host);
      const hasEnded = (): boolean => {
        const row = store.byId(id);
        return row === undefined || stateOfInvitation(row, clock.now()) !== 'open';
      };
      try {
        return await parts.checkPassword(from, () =>
          users.create(credentials, (tx, { userId, name }) => {
            // Decided within the transaction: of two browsers that accept at once, only one gets the account.
            if (hasEnded()) throw endedInvitationFailure();
            store.update(tx, { ...requireInvitation(id), accepted: clock.now(), user_id: userId });
            for (const { seq } of store.files(id)) files.grant(tx, seq, userId, true);
            owner.accountLog.record(tx, 'invitation-accepted', from, { kind: 'user', userId, name });
            parts.events.notify(tx, 'files');
          }),
        );
      } catch (error) {
        if (error instanceof Failure && error.code !== 'rate_limited' && hasEnded()) return undefined;
        throw error;
      }
    },
  };
};
