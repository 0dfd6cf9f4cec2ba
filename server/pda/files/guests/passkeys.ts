import type { Caller } from '../../../platform/http/route.ts';
import { MAX_PASSKEYS } from '../../../wire/limits.ts';
import { assertionSchema, type PasskeyRegistration } from '../../../wire/passkeys.ts';
import type { UserPasskeys } from '../../identity/user-passkeys/service.ts';
import type { Writer } from '../../storage/index.ts';
import type { Guest, GuestAccounts, GuestProof } from './account.ts';
import { passwordOf } from './page-response.ts';
import type { Confirmation, PageCeremony, PagePasskey } from './pages/passkeys.ts';
import {
  acceptancePurpose,
  confirmationPurpose,
  creationOptions,
  parsePasskey,
  registrationPurpose,
  requestOptions,
  SIGN_IN_PURPOSE,
  type ConfirmedAction,
} from './passkey-forms.ts';

export const proofOf = (form: URLSearchParams, field = 'password'): GuestProof => ({
  password: passwordOf(form, field),
  passkey: parsePasskey(form, assertionSchema),
});

export type GuestPasskeys = ReturnType<typeof createGuestPasskeys>;

/** Manages the passkeys of guests. Ceremonies are undefined at addresses where passkeys do not work. */
export const createGuestPasskeys = (parts: {
  passkeys: Pick<UserPasskeys, 'siteOf' | 'issueChallenge' | 'list' | 'isLast' | 'verifyNew' | 'add' | 'remove'>;
  accounts: Pick<GuestAccounts, 'confirmationMethodOf' | 'runConfirmed' | 'record'>;
  writer: Writer;
}) => {
  const { passkeys, accounts, writer } = parts;

  const areAvailableAt = ({ host }: Pick<Caller, 'host'>): boolean => passkeys.siteOf(host) !== undefined;
  const credentialsOf = (userId: string, rpId: string): string[] =>
    passkeys.list(userId).flatMap((row) => (row.rp_id === rpId ? [row.credential] : []));

  const creationCeremony = (
    { host }: Caller,
    purpose: string,
    user: { userId: string; name: string },
  ): PageCeremony | undefined => {
    const site = passkeys.siteOf(host);
    if (site === undefined) return undefined;
    const credentials = credentialsOf(user.userId, site.rpId);
    const challenge = passkeys.issueChallenge(host, purpose);
    return { kind: 'create', options: creationOptions(site, challenge, { ...user, credentials }) };
  };

  return {
    areAvailableAt,

    signInCeremony({ host }: Caller): PageCeremony | undefined {
      const site = passkeys.siteOf(host);
      if (site === undefined) return undefined;
      return { kind: 'get', options: requestOptions(site, passkeys.issueChallenge(host, SIGN_IN_PURPOSE)) };
    },

    /**
     * Returns the ceremony for a new user, whose id is that of the invitation: if the first attempt fails after the
     * device has stored a passkey, the passkey of the next attempt replaces it.
     */
    acceptanceCeremony: ({ id, name }: { id: string; name: string }, caller: Caller): PageCeremony | undefined =>
      creationCeremony(caller, acceptancePurpose(id), { userId: id, name }),

    confirmation(guest: Guest, action: ConfirmedAction, { host }: Caller): Confirmation {
      if (accounts.confirmationMethodOf(guest) === 'password') return { kind: 'password' };
      const site = passkeys.siteOf(host);
      if (site === undefined) return { kind: 'passkey', ceremony: undefined };
      const challenge = passkeys.issueChallenge(host, confirmationPurpose(guest.sessionId, action));
      const options = requestOptions(site, challenge, credentialsOf(guest.userId, site.rpId));
      return { kind: 'passkey', ceremony: { kind: 'get', options } };
    },

    list({ userId }: Guest, { host }: Caller): PagePasskey[] {
      const rpId = passkeys.siteOf(host)?.rpId;
      return passkeys.list(userId).map((row) => ({
        id: row.id,
        name: row.name,
        created: row.created,
        lastUsed: row.last_used,
        address: row.rp_id,
        isUsable: row.rp_id === rpId,
      }));
    },

    hasMaxPasskeys: ({ userId }: Guest): boolean => passkeys.list(userId).length >= MAX_PASSKEYS,
    /** Returns true if a guest could not sign in at this address without this passkey. */
    isLast: ({ userId }: Guest, passkeyId: string, { host }: Caller): boolean =>
      passkeys.isLast(userId, passkeyId, host),

    /**
     * @returns undefined if the password or passkey is wrong, or passkeys do not work at this address
     * @throws Failure rate_limited | forbidden
     */
    async startAdding(guest: Guest, proof: GuestProof, caller: Caller): Promise<PageCeremony | undefined> {
      if (!(await accounts.runConfirmed(guest, proof, 'passkey-added', caller, () => undefined))) return undefined;
      return creationCeremony(caller, registrationPurpose(guest.sessionId), guest);
    },

    /** @throws Failure invalid_input | wrong_state | already_exists | not_found for a deleted user */
    async add(guest: Guest, registration: PasskeyRegistration, name: string, caller: Caller): Promise<void> {
      const passkey = await passkeys.verifyNew(registration, caller.host, registrationPurpose(guest.sessionId));
      await writer.write((tx) => {
        passkeys.add(tx, guest.userId, passkey, name);
        accounts.record(tx, guest, 'passkey-added', caller);
      });
    },

    /**
     * Returns false if the password or passkey that confirms the removal is wrong.
     * @throws Failure not_found | wrong_state for the last way to sign in at this address | rate_limited | forbidden
     */
    remove: (guest: Guest, passkeyId: string, proof: GuestProof, caller: Caller): Promise<boolean> =>
      accounts.runConfirmed(guest, proof, 'passkey-removed', caller, (tx) => {
        passkeys.remove(tx, guest.userId, passkeyId, caller.host);
        accounts.record(tx, guest, 'passkey-removed', caller);
      }),
  };
};
