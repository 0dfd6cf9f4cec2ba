import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import { createLoginThrottle, type LoginThrottle } from '../../../platform/limits/login-throttle.ts';
import type {
  Invitation,
  InvitationValidity,
  IssuedInvitation,
  NewInvitation,
  NewPasswordLink,
} from '../../../wire/invitations.ts';
import { INVITATION_PATH } from '../../../wire/guest-paths.ts';
import { MAX_INVITATION_DAYS, MAX_INVITATIONS } from '../../../wire/limits.ts';
import type { PasskeyRegistration } from '../../../wire/passkeys.ts';
import type { User } from '../../../wire/users.ts';
import type { EventService } from '../../core/events/service.ts';
import type { OwnerService, RequestOrigin } from '../../identity/owner/service.ts';
import type { UserPasskeys } from '../../identity/user-passkeys/service.ts';
import type { UserService } from '../../identity/users/service.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import type { CollectionStore } from '../collections/store.ts';
import type { GrantService } from '../grants/service.ts';
import type { ShareTargets } from '../grants/targets.ts';
import type { FileRow, FileStore } from '../store.ts';
import { acceptancePurpose } from './passkey-forms.ts';
import { expiryOfInvitation, hashOfToken, newInvitationToken, stateOfInvitation } from './rules.ts';
import type { GuestStore, InvitationRow } from './store.ts';

export type FoundInvitation = { row: InvitationRow; state: Invitation['state'] };

export type InvitationParts = {
  store: GuestStore;
  files: Pick<FileStore, 'grant'>;
  collections: Pick<CollectionStore, 'findById'>;
  targets: ShareTargets;
  folderShares: Pick<GrantService, 'grantWithin'>;
  collectionShares: Pick<GrantService, 'grantWithin'>;
  users: Pick<UserService, 'create' | 'exists' | 'find' | 'update'>;
  passkeys: Pick<UserPasskeys, 'verifyNew' | 'add'>;
  owner: Pick<OwnerService, 'accountLog' | 'requirePasswordAllowed'>;
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
 * Manages invitations and password links. A user is created or changed in the transaction in which the invitation ends,
 * so that each invitation works only once.
 */
export const createInvitationService = (parts: InvitationParts) => {
  const { store, files, collections, targets, users, passkeys, owner, writer, clock } = parts;
  const throttle = createLoginThrottle(clock);

  const requireInvitation = (invitationId: string): InvitationRow => {
    const row = store.findById(invitationId);
    if (row === undefined) throw unknownInvitationFailure();
    return row;
  };

  const userOf = ({ user_id: userId }: InvitationRow): Invitation['user'] => {
    const user = userId === null ? undefined : users.find(userId);
    return user === undefined ? null : { userId: user.userId, name: user.name };
  };

  const collectionOf = ({ collection: collectionId }: InvitationRow): Invitation['collection'] =>
    collectionId === null ? null : { collectionId, name: collections.findById(collectionId)?.name ?? '' };

  const toInvitation = (row: InvitationRow): Invitation => ({
    invitationId: row.id,
    kind: row.password_of === null ? 'account' : 'password',
    name: row.name,
    created: row.created,
    expires: row.expires,
    state: stateOfInvitation(row, clock.now()),
    accepted: row.accepted,
    user: userOf(row),
    files: store.files(row.id).map(({ file_id: fileId, name }) => ({ fileId, name })),
    folder: row.folder,
    collection: collectionOf(row),
  });

  const toIssuedInvitation = (row: InvitationRow, token: string): IssuedInvitation => ({
    invitation: toInvitation(row),
    path: `${INVITATION_PATH}/${token}`,
  });

  /** @throws Failure invalid_input if the expiry time is in the past or too late */
  const requireExpiry = (validity: InvitationValidity): number => {
    const expiry = expiryOfInvitation(validity, clock.now());
    if (expiry === undefined)
      throw new Failure(
        'invalid_input',
        `A link must expire in the future, at most ${MAX_INVITATION_DAYS} days from now. Nothing was changed.`,
        { details: [{ path: 'body.expires', problem: 'in the past or too late' }] },
      );
    return expiry;
  };

  const createWithin = (
    tx: Transaction,
    content: Pick<InvitationRow, 'name' | 'expires'> &
      Partial<Pick<InvitationRow, 'password_of' | 'folder' | 'collection'>>,
    seqs: readonly number[],
  ): IssuedInvitation => {
    if (store.count() >= MAX_INVITATIONS)
      throw new Failure('wrong_state', `There are ${MAX_INVITATIONS} invitations. Remove some of them first.`);
    const token = newInvitationToken();
    const row: InvitationRow = {
      id: randomUUID(),
      token_hash: hashOfToken(token),
      created: clock.now(),
      revoked: null,
      accepted: null,
      user_id: content.password_of ?? null,
      password_of: null,
      folder: null,
      collection: null,
      ...content,
    };
    store.insert(tx, row, seqs);
    parts.events.notify(tx, 'files');
    return toIssuedInvitation(row, token);
  };

  const hasEnded = (id: string): boolean => {
    const row = store.findById(id);
    return row === undefined || stateOfInvitation(row, clock.now()) !== 'open';
  };

  /** Counts an attempt and runs `work`. Returns undefined if the invitation has ended in the meantime. */
  const attemptAcceptance = async (
    id: string,
    from: RequestOrigin,
    work: () => Promise<User>,
  ): Promise<User | undefined> => {
    throttle.take(`invitation ${id}`);
    owner.requirePasswordAllowed(from.host);
    try {
      return await parts.checkPassword(from, work);
    } catch (error) {
      if (error instanceof Failure && error.code !== 'rate_limited' && hasEnded(id)) return undefined;
      throw error;
    }
  };

  /**
   * Marks an invitation as accepted.
   * @throws Failure wrong_state if it has ended, for example because another browser accepted it concurrently
   */
  const endWithin = (tx: Transaction, id: string, userId: string): void => {
    if (hasEnded(id)) throw endedInvitationFailure();
    store.update(tx, { ...requireInvitation(id), accepted: clock.now(), user_id: userId });
    parts.events.notify(tx, 'files');
  };

  const acceptWithin = (tx: Transaction, id: string, { userId, name }: User, from: RequestOrigin): void => {
    endWithin(tx, id, userId);
    for (const { seq } of store.files(id)) files.grant(tx, seq, userId, true);
    // The limits of shared folders and collections are not checked, because the guest could not resolve a refusal.
    const { folder, collection } = requireInvitation(id);
    if (folder !== null) parts.folderShares.grantWithin(tx, folder, userId);
    if (collection !== null) parts.collectionShares.grantWithin(tx, collection, userId);
    owner.accountLog.record(tx, 'invitation-accepted', from, { kind: 'user', userId, name });
  };

  return {
    list: (): Invitation[] => store.list().map(toInvitation),

    /**
     * @throws Failure invalid_input for an invalid expiry time | not_found for an unknown file, folder or
     *   collection | wrong_state at the maximum number of invitations
     */
    create: ({ name, fileIds, folder, collectionId, ...validity }: NewInvitation): Promise<IssuedInvitation> =>
      writer.write((tx) => {
        if (folder !== undefined) targets.requireFolder(folder);
        if (collectionId !== undefined) targets.requireCollection(collectionId);
        const content = { folder: folder ?? null, collection: collectionId ?? null };
        return createWithin(tx, { name, expires: requireExpiry(validity), ...content }, targets.requireFiles(fileIds));
      }),

    /**
     * Creates a link with which a user sets a new password, and revokes earlier ones.
     * @throws Failure invalid_input for an invalid expiry time | not_found for an unknown user | wrong_state at the
     *   maximum number of invitations
     */
    createPasswordLink: ({ userId, ...validity }: NewPasswordLink): Promise<IssuedInvitation> =>
      writer.write((tx) => {
        if (!users.exists(tx, userId)) throw new Failure('not_found', 'There is no such user.');
        const expires = requireExpiry(validity);
        store.revokePasswordLinks(tx, userId, clock.now());
        return createWithin(tx, { name: users.find(userId)?.name ?? '', expires, password_of: userId }, []);
      }),

    /**
     * Issues a new token with a new expiry time. The previous token stops working.
     * @throws Failure invalid_input for an invalid expiry time | not_found | wrong_state if the invitation was accepted
     *   or revoked
     */
    renew: (invitationId: string, validity: InvitationValidity): Promise<IssuedInvitation> =>
      writer.write((tx) => {
        const row = requireInvitation(invitationId);
        if (row.accepted !== null || row.revoked !== null) throw endedInvitationFailure();
        const token = newInvitationToken();
        const renewedRow = { ...row, token_hash: hashOfToken(token), expires: requireExpiry(validity) };
        store.update(tx, renewedRow);
        parts.events.notify(tx, 'files');
        return toIssuedInvitation(renewedRow, token);
      }),

    /**
     * Revokes an open or expired invitation, and removes any other. Returns the invitation as it was before.
     * `wasPending`: it was neither accepted nor revoked before.
     * @throws Failure not_found
     */
    async revoke(invitationId: string): Promise<{ invitation: Invitation; wasPending: boolean }> {
      // Outside the transaction, because `toInvitation` reads the committed users.
      const invitation = toInvitation(requireInvitation(invitationId));
      const wasPending = await writer.write((tx) => {
        const row = requireInvitation(invitationId);
        const isPending = row.accepted === null && row.revoked === null;
        if (isPending) store.update(tx, { ...row, revoked: clock.now() });
        else store.remove(tx, invitationId);
        parts.events.notify(tx, 'files');
        return isPending;
      });
      return { invitation, wasPending };
    },

    find(token: string): FoundInvitation | undefined {
      const row = store.findByTokenHash(hashOfToken(token));
      return row === undefined ? undefined : { row, state: stateOfInvitation(row, clock.now()) };
    },

    filesOf: (row: InvitationRow): FileRow[] => store.files(row.id),
    collectionOf,

    /**
     * @returns undefined if the invitation has ended in the meantime
     * @throws Failure already_exists if the name is taken | invalid_input if the password is too easy to guess |
     *   rate_limited | forbidden if a third party could read the password
     */
    accept(
      { id }: InvitationRow,
      credentials: { name: string; password: string },
      from: RequestOrigin,
    ): Promise<User | undefined> {
      return attemptAcceptance(id, from, () =>
        users.create(credentials, (tx, user) => acceptWithin(tx, id, user, from)),
      );
    },

    /**
     * @returns undefined if the invitation has ended in the meantime
     * @throws Failure already_exists if the name is taken or, with a detail for `body.passkey`, if the passkey already
     *   exists | invalid_input or wrong_state if the passkey is not accepted | rate_limited | forbidden
     */
    acceptWithPasskey(
      { id }: InvitationRow,
      { name, registration, passkeyName }: { name: string; registration: PasskeyRegistration; passkeyName: string },
      from: RequestOrigin,
    ): Promise<User | undefined> {
      return attemptAcceptance(id, from, async () => {
        const passkey = await passkeys.verifyNew(registration, from.host, acceptancePurpose(id));
        return users.create({ name, password: null, userId: id }, (tx, user) => {
          acceptWithin(tx, id, user, from);
          passkeys.add(tx, user.userId, passkey, passkeyName);
        });
      });
    },

    /** Returns undefined for an invitation that creates a user. */
    passwordUserOf: ({ password_of: userId }: InvitationRow): { userId: string; name: string } | undefined =>
      userId === null ? undefined : users.find(userId),

    /**
     * Sets the password of a user and ends all sessions of the user. Returns undefined if the link has ended in the
     * meantime.
     * @throws Failure invalid_input if the password is too easy to guess | rate_limited | forbidden if a third party
     *   could read the password
     */
    setPassword(
      { id }: InvitationRow,
      { userId, name }: { userId: string; name: string },
      password: string,
      from: RequestOrigin,
    ): Promise<User | undefined> {
      return attemptAcceptance(id, from, () =>
        users.update(userId, { password }, (tx) => {
          endWithin(tx, id, userId);
          owner.accountLog.record(tx, 'password-change', from, { kind: 'user', userId, name });
        }),
      );
    },
  };
};
