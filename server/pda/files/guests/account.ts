import { Failure } from '../../../platform/failure.ts';
import type { Principal } from '../../../platform/auth/principal.ts';
import type { Caller } from '../../../platform/http/route.ts';
import type { Session } from '../../../wire/owner.ts';
import type { OwnerService } from '../../identity/owner/service.ts';
import type { UserService } from '../../identity/users/service.ts';
import type { AccessLogModule } from '../../sharing/access-log/index.ts';
import type { Writer } from '../../storage/index.ts';
import { guestCookie, guestCookieName } from './rules.ts';

/** A user who is signed in to the pages of guests. */
export type Guest = {
  userId: string;
  name: string;
  sessionId: string;
  principal: Principal;
  /** Returns a renewed token; undefined if the session can no longer be renewed. */
  renewedToken: () => Promise<string | undefined>;
};

/** Result of a sign-in at the pages of guests. `cookie`: the Set-Cookie header. */
export type GuestSignIn = { cookie: string } | { problem: 'wrong' | 'wait' | 'owner' | 'readable' };

export type GuestAccountParts = {
  owner: Pick<
    OwnerService,
    'authenticate' | 'signIn' | 'sessions' | 'endUserSession' | 'endUserSessions' | 'accountLog'
  >;
  users: Pick<UserService, 'find' | 'update' | 'remove' | 'verifyPassword'>;
  recordRefusal: AccessLogModule['recordRefusal'];
  writer: Writer;
  /** Returns scheme and host of this PDA for the host of a request. */
  baseOf: (host: string) => string;
};

export type GuestAccounts = ReturnType<typeof createGuestAccounts>;

/**
 * Lets guests manage their own accounts: sign-in, sessions, password, deletion. A guest is a user; their token is in a
 * cookie, because their pages run no scripts (docs/adr/0037).
 */
export const createGuestAccounts = (parts: GuestAccountParts) => {
  const { owner, users, writer, baseOf } = parts;

  const actorOf = ({ userId, name }: Guest) => ({ kind: 'user', userId, name }) as const;

  const signIn = async (name: string, password: string, caller: Caller): Promise<GuestSignIn> => {
    try {
      const { accessToken } = await owner.signIn(name, password, caller);
      const { principal } = await owner.authenticate(accessToken);
      if (principal.kind === 'user') return { cookie: guestCookie(baseOf(caller.host), accessToken) };
      // The owner, Data Plugs and providers of Offers have no pages of a guest.
      if ('sessionId' in principal) await owner.endUserSession(principal.sessionId);
      return { problem: principal.kind === 'owner' ? 'owner' : 'wrong' };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code === 'invalid_credentials') return { problem: 'wrong' };
      if (error.code === 'second_factor_required') return { problem: 'owner' };
      if (error.code === 'rate_limited') return { problem: 'wait' };
      if (error.code === 'forbidden') return { problem: 'readable' };
      throw error;
    }
  };

  /**
   * Checks the password of a guest, and records a wrong one in the access log. Returns a function that checks within a
   * transaction that the password is unchanged; undefined if it is wrong.
   * @throws Failure rate_limited | forbidden
   */
  const verify = async (guest: Guest, password: string, action: 'password-change' | 'guest-left', caller: Caller) => {
    const isUnchanged = await users.verifyPassword(guest.userId, password, caller);
    if (isUnchanged === undefined)
      await parts.recordRefusal({
        who: { kind: 'user', name: guest.userId, person: guest.name },
        action,
        status: 403,
        reason: 'invalid_credentials',
        consent: null,
        records: new Map(),
        fields: null,
        bytes: 0,
        address: caller.address,
      });
    return isUnchanged;
  };

  const wrongPasswordFailure = (): Failure => new Failure('forbidden', 'The password is wrong. Nothing was changed.');

  return {
    signIn,

    /** Returns true if a request has a cookie, even if its session has ended. */
    hasCookie: ({ cookie, host }: Pick<Caller, 'cookie' | 'host'>): boolean =>
      cookie(guestCookieName(baseOf(host))) !== undefined,

    /** Returns the guest whose cookie a request has; undefined if the cookie is missing or its session has ended. */
    async find({ cookie, host }: Pick<Caller, 'cookie' | 'host'>): Promise<Guest | undefined> {
      const token = cookie(guestCookieName(baseOf(host)));
      if (token === undefined || token === '') return undefined;
      const { principal, renewed } = await owner.authenticate(token);
      if (principal.kind !== 'user') return undefined;
      const { userId, sessionId } = principal;
      const name = users.find(userId)?.name;
      return name === undefined ? undefined : { userId, name, sessionId, principal, renewedToken: renewed };
    },

    /** Returns the live sessions of a guest, last used first. */
    sessions: ({ userId, sessionId }: Guest): Session[] =>
      owner.sessions(sessionId).filter(({ user }) => user?.userId === userId),

    /** Signs a guest out in this browser. */
    async signOut(guest: Guest, caller: Caller): Promise<void> {
      await writer.write((tx) => owner.accountLog.record(tx, 'sign-out', caller, actorOf(guest)));
      await owner.endUserSession(guest.sessionId);
    },

    /** Ends one session of a guest. Returns false if it is not theirs or has ended. */
    async endSession(guest: Guest, sessionId: string, caller: Caller): Promise<boolean> {
      const isOwn = owner.sessions('').some(({ id, user }) => id === sessionId && user?.userId === guest.userId);
      if (!isOwn) return false;
      await writer.write((tx) => owner.accountLog.record(tx, 'sign-out', caller, actorOf(guest)));
      await owner.endUserSession(sessionId);
      return true;
    },

    /** Ends all sessions of a guest. */
    endAllSessions: (guest: Guest, caller: Caller): Promise<number> =>
      writer.write((tx) => {
        owner.accountLog.record(tx, 'sign-out', caller, actorOf(guest));
        return owner.endUserSessions(tx, guest.userId);
      }),

    /**
     * Changes the password and ends all sessions of the guest. Returns false if the current password is wrong.
     * @throws Failure invalid_input if the new password is too easy to guess | rate_limited | forbidden
     */
    async changePassword(
      guest: Guest,
      { password, newPassword }: { password: string; newPassword: string },
      caller: Caller,
    ): Promise<boolean> {
      const isUnchanged = await verify(guest, password, 'password-change', caller);
      if (isUnchanged === undefined) return false;
      await users.update(guest.userId, { password: newPassword }, (tx) => {
        // The password may have been changed since it was checked.
        if (!isUnchanged(tx)) throw wrongPasswordFailure();
        owner.accountLog.record(tx, 'password-change', caller, actorOf(guest));
      });
      return true;
    },

    /**
     * Deletes the account of a guest, with their grants. Returns false if the password is wrong.
     * @throws Failure rate_limited | forbidden
     */
    async leave(guest: Guest, password: string, caller: Caller): Promise<boolean> {
      const isUnchanged = await verify(guest, password, 'guest-left', caller);
      if (isUnchanged === undefined) return false;
      await users.remove(guest.userId, (tx) => {
        if (!isUnchanged(tx)) throw wrongPasswordFailure();
        owner.accountLog.record(tx, 'guest-left', caller, actorOf(guest));
      });
      return true;
    },
  };
};
