import { Failure } from '../../../platform/failure.ts';
import type { Principal } from '../../../platform/auth/principal.ts';
import type { Caller } from '../../../platform/http/route.ts';
import type { Session } from '../../../wire/owner.ts';
import type { Assertion } from '../../../wire/passkeys.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { UserPasskeys } from '../../identity/user-passkeys/service.ts';
import type { UserService } from '../../identity/users/service.ts';
import type { AccessLogModule } from '../../sharing/access-log/index.ts';
import type { FileRow } from '../store.ts';
import type { Transaction, Writer } from '../../storage/index.ts';
import { confirmationPurpose, SIGN_IN_PURPOSE, type ConfirmedAction } from './passkey-forms.ts';
import { guestCookie, guestCookieName, RETRY_AFTER_SECONDS } from './rules.ts';

export type Guest = {
  userId: string;
  name: string;
  sessionId: string;
  principal: Principal;
  /** Returns a renewed token; undefined if the session can no longer be renewed. */
  renewToken: () => Promise<string | undefined>;
  /** Set if the owner previews the guest's pages. */
  preview?: { contentUrl: (row: FileRow) => string };
};

/** A guest without a password confirms with an assertion of a passkey. */
export type GuestProof = { password: string; passkey: Assertion | undefined };

export type GuestSignIn =
  /**
   * `cookie`: the Set-Cookie header. `owner`: the account is the owner's. `untrustedAddress`: a third party could read
   * what is sent to this address.
   */
  { cookie: string } | { problem: 'wrong' | 'wait' | 'owner' | 'untrustedAddress'; waitSeconds?: number };

export type GuestAccountParts = {
  owner: Pick<
    OwnerService,
    'authenticate' | 'signIn' | 'signInUser' | 'sessions' | 'endUserSession' | 'endUserSessions' | 'accountLog'
  >;
  users: Pick<UserService, 'find' | 'hasPassword' | 'update' | 'remove' | 'verifyPassword'>;
  passkeys: Pick<UserPasskeys, 'signIn' | 'confirm'>;
  recordRefusal: AccessLogModule['recordRefusal'];
  writer: Writer;
  baseOf: (host: string) => string;
};

/** The password was changed, or the passkey was used or removed, after the confirmation was checked. */
class ConfirmationOutdated extends Error {}

export type GuestAccounts = ReturnType<typeof createGuestAccounts>;

/**
 * Manages the accounts and sessions of guests. The token is in a cookie, because the guest pages work without scripts
 * (docs/adr/0037).
 */
export const createGuestAccounts = (parts: GuestAccountParts) => {
  const { owner, users, passkeys, writer, baseOf } = parts;

  const actorOf = ({ userId, name }: Guest) => ({ kind: 'user', userId, name }) as const;

  const toGuestSignIn = async (caller: Caller, work: () => Promise<{ accessToken: string }>): Promise<GuestSignIn> => {
    try {
      const { accessToken } = await work();
      const { principal } = await owner.authenticate(accessToken);
      if (principal.kind === 'user') return { cookie: guestCookie(baseOf(caller.host), accessToken) };
      // The owner, Data Plugs and providers of Offers have no guest pages.
      if ('sessionId' in principal) await owner.endUserSession(principal.sessionId);
      return { problem: principal.kind === 'owner' ? 'owner' : 'wrong' };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code === 'invalid_credentials') return { problem: 'wrong' };
      if (error.code === 'second_factor_required') return { problem: 'owner' };
      if (error.code === 'rate_limited')
        return { problem: 'wait', waitSeconds: Number(error.headers['retry-after'] ?? RETRY_AFTER_SECONDS) };
      if (error.code === 'forbidden') return { problem: 'untrustedAddress' };
      throw error;
    }
  };

  /**
   * Checks the confirmation of a guest and runs `change`, which must use the confirmation within its transaction.
   * Returns false if the password or passkey is wrong, or no longer valid in the transaction.
   * @throws Failure rate_limited | forbidden, and errors of `change`
   */
  const withConfirmation = async (
    { userId, name, sessionId }: Guest,
    proof: GuestProof,
    action: ConfirmedAction,
    caller: Caller,
    change: (useConfirmation: (tx: Transaction) => void) => Promise<unknown>,
  ): Promise<boolean> => {
    const consume = users.hasPassword(userId)
      ? await users.verifyPassword(userId, proof.password, caller)
      : await passkeys.confirm(userId, proof.passkey, confirmationPurpose(sessionId, action), caller);
    if (consume === undefined) {
      await parts.recordRefusal({
        who: { kind: 'user', name: userId, person: name },
        action,
        status: 403,
        reason: 'invalid_credentials',
        consent: null,
        records: new Map(),
        fields: null,
        bytes: 0,
        address: caller.address,
      });
      return false;
    }
    try {
      await change((tx) => {
        if (!consume(tx)) throw new ConfirmationOutdated();
      });
      return true;
    } catch (error) {
      if (error instanceof ConfirmationOutdated) return false;
      throw error;
    }
  };

  const endSession = async (guest: Guest, sessionId: string, caller: Caller): Promise<void> => {
    await writer.write((tx) => owner.accountLog.record(tx, 'sign-out', caller, actorOf(guest)));
    await owner.endUserSession(sessionId);
  };

  return {
    signIn: (name: string, password: string, caller: Caller): Promise<GuestSignIn> =>
      toGuestSignIn(caller, () => owner.signIn(name, password, caller)),

    signInWithPasskey: (assertion: Assertion, caller: Caller): Promise<GuestSignIn> =>
      toGuestSignIn(caller, () => passkeys.signIn(assertion, SIGN_IN_PURPOSE, caller)),

    /** Signs in a guest who has just accepted an invitation with a passkey. */
    signInAfterInvitation: ({ userId, name }: { userId: string; name: string }, caller: Caller): Promise<GuestSignIn> =>
      toGuestSignIn(caller, () =>
        owner.signInUser({ key: name, userId, verify: () => Promise.resolve(() => true) }, caller),
      ),

    confirmationMethodOf: ({ userId }: Guest): 'password' | 'passkey' =>
      users.hasPassword(userId) ? 'password' : 'passkey',

    /**
     * Runs `work` in the transaction that uses the confirmation. Returns false if the password or passkey is wrong.
     * @throws Failure rate_limited | forbidden, and errors of `work`
     */
    runConfirmed: (
      guest: Guest,
      proof: GuestProof,
      action: 'passkey-added' | 'passkey-removed',
      caller: Caller,
      work: (tx: Transaction) => void,
    ): Promise<boolean> =>
      withConfirmation(guest, proof, action, caller, (useConfirmation) =>
        writer.write((tx) => {
          useConfirmation(tx);
          work(tx);
        }),
      ),

    record: (tx: Transaction, guest: Guest, action: ConfirmedAction, caller: Caller): void =>
      owner.accountLog.record(tx, action, caller, actorOf(guest)),

    /** Returns true even if the session has ended. */
    hasCookie: ({ cookie, host }: Pick<Caller, 'cookie' | 'host'>): boolean =>
      cookie(guestCookieName(baseOf(host))) !== undefined,

    async find({ cookie, host }: Pick<Caller, 'cookie' | 'host'>): Promise<Guest | undefined> {
      const token = cookie(guestCookieName(baseOf(host)));
      if (token === undefined || token === '') return undefined;
      const { principal, renewToken } = await owner.authenticate(token);
      if (principal.kind !== 'user') return undefined;
      const { userId, sessionId } = principal;
      const name = users.find(userId)?.name;
      return name === undefined ? undefined : { userId, name, sessionId, principal, renewToken };
    },

    sessions: ({ userId, sessionId }: Guest): Session[] =>
      owner.sessions(sessionId).filter(({ user }) => user?.userId === userId),

    signOut: (guest: Guest, caller: Caller): Promise<void> => endSession(guest, guest.sessionId, caller),

    async endSession(guest: Guest, sessionId: string, caller: Caller): Promise<void> {
      const isOwn = owner.sessions('').some(({ id, user }) => id === sessionId && user?.userId === guest.userId);
      if (isOwn) await endSession(guest, sessionId, caller);
    },

    endAllSessions: (guest: Guest, caller: Caller): Promise<number> =>
      writer.write((tx) => {
        owner.accountLog.record(tx, 'sign-out', caller, actorOf(guest));
        return owner.endUserSessions(tx, guest.userId);
      }),

    /**
     * Sets a new password, which ends all sessions of the guest. Returns false if the current password or the passkey
     * is wrong.
     * @throws Failure invalid_input if the new password is too easy to guess | rate_limited | forbidden | not_found if
     *   the account was deleted in the meantime
     */
    changePassword: (guest: Guest, proof: GuestProof, newPassword: string, caller: Caller): Promise<boolean> =>
      withConfirmation(guest, proof, 'password-change', caller, (useConfirmation) =>
        users.update(guest.userId, { password: newPassword }, (tx) => {
          useConfirmation(tx);
          owner.accountLog.record(tx, 'password-change', caller, actorOf(guest));
        }),
      ),

    /**
     * Deletes the account of the guest. Returns false if the password or passkey is wrong.
     * @throws Failure rate_limited | forbidden | not_found if the account was deleted in the meantime
     */
    leave: (guest: Guest, proof: GuestProof, caller: Caller): Promise<boolean> =>
      withConfirmation(guest, proof, 'guest-left', caller, (useConfirmation) =>
        users.remove(guest.userId, (tx) => {
          useConfirmation(tx);
          owner.accountLog.record(tx, 'guest-left', caller, actorOf(guest));
        }),
      ),
  };
};
