import type { Scope } from '../../../../platform/auth/principal.ts';
import { nameKey } from '../../../../wire/users.ts';
import type { DebitState } from '../../../../wire/debits.ts';
import type { Account, Accounts } from '../../../identity/owner/service.ts';
import type { Transaction } from '../../../storage/index.ts';
import { isOver } from '../rules.ts';
import type { ClaimRow, ExchangeStore, PlugRow } from '../store.ts';

/** An application of kind Data Plug that is set up and enabled: what it was approved as, and from which list. */
export type ApprovedPlug = { id: string; version: string; origin: string };

/**
 * Who may sign in because of what the owner agreed to. A plug acts for an application only when the owner has set that up from the list of
 * the very exchange that vouches for the plug: one of config.json, or of another exchange, is not its, whatever it is called.
 */
export const createAccounts = (parts: {
  store: ExchangeStore;
  /** @param tx within a transaction, its own changes included */
  approvedPlug: (application: string, tx?: Transaction) => ApprovedPlug | undefined;
  debitState: (key: string) => DebitState | undefined;
}): Accounts & {
  /** What the account of an Offer gives; undefined when it is over. */
  scopesOfOffer(offer: string): ReadonlySet<Scope> | undefined;
} => {
  const { store, approvedPlug, debitState } = parts;

  const ofPlug = (row: PlugRow, tx?: Transaction): Account | undefined => {
    const approved = approvedPlug(row.application, tx);
    if (approved === undefined || approved.origin !== row.exchange) return undefined;
    const holder = { kind: 'application', application: approved.id, version: approved.version } as const;
    return { name: row.name, passwordHash: row.password_hash, holder };
  };

  const ofClaim = (row: ClaimRow): Account | undefined =>
    isOver(debitState(row.debit_key))
      ? undefined
      : { name: row.login, passwordHash: row.password_hash, holder: { kind: 'offer', offer: row.offer } };

  const scopes = new WeakMap<ClaimRow, ReadonlySet<Scope>>();

  return {
    byName(name) {
      const claim = store.claims().find(({ login }) => login === name);
      if (claim !== undefined) return ofClaim(claim);
      const key = nameKey(name);
      const plug = store.plugs().find((row) => row.name_key === key);
      return plug === undefined ? undefined : ofPlug(plug);
    },

    isHere(tx, { holder, passwordHash }) {
      if (holder.kind === 'offer') {
        const row = store.claimWithin(tx, holder.offer);
        return row?.password_hash === passwordHash && ofClaim(row) !== undefined;
      }
      const accounts = store.plugsWithin(tx).flatMap((row) => ofPlug(row, tx) ?? []);
      return accounts.some(
        (other) =>
          other.holder.kind === 'application' &&
          other.holder.application === holder.application &&
          other.passwordHash === passwordHash,
      );
    },

    hashes: () =>
      [...store.plugs().map((row) => ofPlug(row)), ...store.claims().map(ofClaim)].flatMap(
        (account) => account?.passwordHash ?? [],
      ),

    scopesOfOffer(offer) {
      const row = store.claims().find((one) => one.offer === offer);
      if (row === undefined || isOver(debitState(row.debit_key))) return undefined;
      let known = scopes.get(row);
      if (known === undefined) scopes.set(row, (known = new Set<Scope>([`debits:read:${row.debit_key}`])));
      return known;
    },
  };
};
