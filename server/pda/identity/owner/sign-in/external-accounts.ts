import { nameKey } from '../../../../wire/users.ts';
import type { Transaction } from '../../../storage/index.ts';
import { costOf, decoyOf, type ExternalHashes } from '../password/external-hash.ts';

/** ExternalAccount of a Data Plug or of the provider of a claimed Offer. */
export type ExternalAccount = {
  /** Name at sign-in. */
  name: string;
  passwordHash: string;
  holder: { kind: 'application'; application: string; version: string } | { kind: 'offer'; offer: string };
};

/** Access to external accounts for the sign-in. */
export type ExternalAccounts = {
  byName(name: string): ExternalAccount | undefined;
  /** Returns true if the account still exists with the same password hash, within the transaction of the sign-in. */
  exists(tx: Transaction, account: ExternalAccount): boolean;
  /** Returns all hashes. The time of a password check must not reveal which account was tried. */
  hashes(): readonly string[];
};

export const noExternalAccounts: ExternalAccounts = {
  byName: () => undefined,
  exists: () => false,
  hashes: () => [],
};

/** Maximum number of hash costs that each attempt has to check. There is one if the exchange uses the same cost for all hashes. */
const PROFILES_MAX = 4;

/**
 * Checks the password of an account. Each attempt does one check per kind of hash, whatever the name, so that the timing is
 * the same for the owner, a user, an account and an unknown name.
 */
export const createAccountCheck = (accounts: () => ExternalAccounts, hashes: ExternalHashes) => {
  /** Returns one hash per cost. */
  const profiles = (): Map<string, string> => {
    const samples = new Map<string, string>();
    for (const hash of accounts().hashes()) {
      const profile = costOf(hash)?.profile;
      if (profile !== undefined && !samples.has(profile) && samples.size < PROFILES_MAX) samples.set(profile, hash);
    }
    return samples;
  };

  return async (account: ExternalAccount | undefined, password: string): Promise<boolean> => {
    const own = account === undefined ? undefined : costOf(account.passwordHash)?.profile;
    const samples = profiles();
    if (own !== undefined && account !== undefined) samples.set(own, account.passwordHash);
    const checks = [...samples].map(async ([profile, hash]) => {
      const matches = await hashes.matches(profile === own ? hash : decoyOf(hash), password);
      return matches && profile === own;
    });
    return (await Promise.all(checks)).includes(true);
  };
};

/** Returns true if two names are equal in their normalised form. The owner and users take precedence over accounts. */
export const isSameName = (name: string, other: string): boolean => nameKey(name) === nameKey(other);
