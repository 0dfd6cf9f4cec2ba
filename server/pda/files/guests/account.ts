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
import { guestCookie, guestCookieName } from './rules.ts';

/** A user who is signed in to the guest pages. */
export type Guest = {
  userId: string;
  name: string;
  sessionId: string;
  principal: Principal;
  /** Returns a renewed token; undefined if the session can no longer be renewed. */
  renewedToken: () => Promise<string | undefined>;
  /** Set if the owner previews the guest's pages. Previews are not recorded as access by the guest. */
  preview?: {
    /** Returns the URL of a file's content for the owner. */
    contentUrl: (row: FileRow) => string;
  };
};

/**
 * A guest's confirmation of an action: the password or, for a guest without a password, an assertion of a passkey.
 */
export type GuestProof = { password: string; passkey: Assertion | undefined };

/** Result of a sign-in on the guest pages. */
export type GuestSignIn =
  /** `cookie`: the Set-Cookie header. */
  | { cookie: string }
  /** `waitSeconds`: time until the next allowed attempt. */
  | { problem: 'wrong' | 'wait' | 'owner' | 'readable'; waitSeconds?: number };

export type GuestAccountParts = {
  owner: Pick<
    OwnerService,
    'authenticate' | 'signIn' | 'signInUser' | 'sessions' | 'endUserSession' | 'endUserSessions' | 'accountLog'
  >;
  users: Pick<UserService, 'find' | 'hasPassword' | 'update' | 'remove' | 'verifyPassword'>;
  passkeys: Pick<UserPasskeys, 'signIn' | 'confirm'>;
  recordRefusal: AccessLogModule['recordRefusal'];
  writer: Writer;
  /** Returns scheme and host of this PDA for the host of a request. */
  baseOf: (host: string) => string;
};

/** Default number of seconds until the next attempt to sign in, if a refusal does not state it. */
const DEFAULT_WAIT_SECONDS = 2;

export type GuestAccounts = ReturnType<typeof createGuestAccounts>;

/**
 * Lets guests manage their own accounts: sign-in, sessions, password, deletion and confirmations. A guest is a user.
 * The token is in a cookie, because the guest pages work without scripts (docs/adr/0037).
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
        return { problem: 'wait', waitSeconds: Number(error.headers['retry-after'] ?? DEFAULT_WAIT_SECONDS) };
      if (error.code === 'forbidden') return { problem: 'readable' };
      throw error;
    }
  };

  /**
   * Checks the confirmation of a guest, and records a wrong password or passkey in the access log. Returns a function
   * that uses the confirmation within a transaction and returns true if it was still valid. Returns undefined if the
   * password or passkey is wrong.
   * @throws Failure rate_limited | forbidden
   */
  const verify = async (
    { userId, name, sessionId }: Guest,
    proof: GuestProof,
    action: ConfirmedAction,
    caller: Caller,
  ): Promise<((tx: Transaction) => boolean) | undefined> => {
    const useConfirmation = users.hasPassword(userId)
      ? await users.verifyPassword(userId, proof.password, caller)
      : await passkeys.confirm(userId, proof.passkey, confirmationPurpose(sessionId, action), caller);
    if (useConfirmation === undefined)
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
    return useConfirmation;
  };

  const invalidProofFailure = (): Failure =>
    new Failure('forbidden', 'The password or the passkey is wrong. Nothing was changed.');

  const signIn = (name: string, password: string, caller: Caller): Promise<GuestSignIn> =>
    toGuestSignIn(caller, () => owner.signIn(name, password, caller));

  return {
    signIn,

    signInWithPasskey: (assertion: Assertion, caller: Caller): Promise<GuestSignIn> =>
      toGuestSignIn(caller, () => passkeys.signIn(assertion, SIGN_IN_PURPOSE, caller)),

    /** Signs in a guest who has just accepted an invitation with a passkey. */
    signInAccepted: ({ userId, name }: { userId: string; name: string }, caller: Caller): Promise<GuestSignIn> =>
      toGuestSignIn(caller, () =>
        owner.signInUser({ key: name, userId, verify: () => Promise.resolve(() => true) }, caller),
      ),

    confirmationOf: ({ userId }: Guest): 'password' | 'passkey' => (users.hasPassword(userId) ? 'password' : 'passkey'),

    /**
     * Runs an action that a guest has confirmed, within a transaction. Returns false if the password or passkey is
     * wrong.
     * @throws Failure rate_limited | forbidden, and errors of `work`
     */
    async runConfirmed(
      guest: Guest,
      proof: GuestProof,
      action: 'passkey-added' | 'passkey-removed',
      caller: Caller,
      work: (tx: Transaction) => void,
    ): Promise<boolean> {
      const useConfirmation = await verify(guest, proof, action, caller);
      if (useConfirmation === undefined) return false;
      await writer.write((tx) => {
        if (!useConfirmation(tx)) throw invalidProofFailure();
        work(tx);
      });
      return true;
    },

    /** Records an action of a guest within its transaction. */
    record: (tx: Transaction, guest: Guest, action: ConfirmedAction, caller: Caller): void =>
      owner.accountLog.record(tx, action, caller, actorOf(guest)),

    /** Returns true if a request has the session cookie of a guest, even if the session has ended. */
    hasCookie: ({ cookie, host }: Pick<Caller, 'cookie' | 'host'>): boolean =>
      cookie(guestCookieName(baseOf(host))) !== undefined,

    /** Returns the guest who is signed in by the cookie of a request; undefined if there is none. */
    async find({ cookie, host }: Pick<Caller, 'cookie' | 'host'>): Promise<Guest | undefined> {
      const token = cookie(guestCookieName(baseOf(host)));
      if (token === undefined || token === '') return undefined;
      const { principal, renewed } = await owner.authenticate(token);
      if (principal.kind !== 'user') return undefined;
      const { userId, sessionId } = principal;
      const name = users.find(userId)?.name;
      return name === undefined ? undefined : { userId, name, sessionId, principal, renewedToken: renewed };
    },

    /** Live sessions, last used first. */
    sessions: ({ userId, sessionId }: Guest): Session[] =>
      owner.sessions(sessionId).filter(({ user }) => user?.userId === userId),

    /** Signs a guest out in this browser. */
    async signOut(guest: Guest, caller: Caller): Promise<void> {
      await writer.write((tx) => owner.accountLog.record(tx, 'sign-out', caller, actorOf(guest)));
      await owner.endUserSession(guest.sessionId);
    },

    /** Ends a session of the guest. Returns false if it belongs to another user or has already ended. */
    async endSession(guest: Guest, sessionId: string, caller: Caller): Promise<boolean> {
      const isOwn = owner.sessions('').some(({ id, user }) => id === sessionId && user?.userId === guest.userId);
      if (!isOwn) return false;
      await writer.write((tx) => owner.accountLog.record(tx, 'sign-out', caller, actorOf(guest)));
      await owner.endUserSession(sessionId);
      return true;
    },

    endAllSessions: (guest: Guest, caller: Caller): Promise<number> =>
      writer.write((tx) => {
        owner.accountLog.record(tx, 'sign-out', caller, actorOf(guest));
        return owner.endUserSessions(tx, guest.userId);
      }),

    /**
     * Sets or changes the password and ends all sessions of the guest. Returns false if the current password or the
     * passkey is wrong.
     * @throws Failure invalid_input if the new password is too easy to guess | rate_limited | forbidden
     */
    async changePassword(guest: Guest, proof: GuestProof, newPassword: string, caller: Caller): Promise<boolean> {
      const useConfirmation = await verify(guest, proof, 'password-change', caller);
      if (useConfirmation === undefined) return false;
      await users.update(guest.userId, { password: newPassword }, (tx) => {
        // The password may have been changed since it was checked.
        if (!useConfirmation(tx)) throw invalidProofFailure();
        owner.accountLog.record(tx, 'password-change', caller, actorOf(guest));
      });
      return true;
    },

    /**
     * Deletes the account of a guest, with their grants and passkeys. Returns false if the password or passkey is
     * wrong.
     * @throws Failure rate_limited | forbidden
     */
    async leave(guest: Guest, proof: GuestProof, caller: Caller): Promise<boolean> {
      const useConfirmation = await verify(guest, proof, 'guest-left', caller);
      if (useConfirmation === undefined) return false;
      await users.remove(guest.userId, (tx) => {
        if (!useConfirmation(tx)) throw invalidProofFailure();
        owner.accountLog.record(tx, 'guest-left', caller, actorOf(guest));
      });
      return true;
    },
  };
};
