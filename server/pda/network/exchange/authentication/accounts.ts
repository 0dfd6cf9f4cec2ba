import type { Scope } from '../../../../platform/auth/principal.ts';
import { nameKey } from '../../../../wire/users.ts';
import type { DebitState } from '../../../../wire/debits.ts';
import type { ExternalAccount, ExternalAccounts } from '../../../identity/owner/service.ts';
import type { Transaction } from '../../../storage/index.ts';
import { hasClaimEnded } from '../rules.ts';
import type { ClaimRow, ExchangeStore, PlugRow } from '../store.ts';

/** Enabled application of kind Data Plug. */
export type EnabledPlug = {
  id: string;
  version: string;
  /** URL of the exchange that lists the application; empty if it is defined in `config.json`. */
  origin: string;
};

/**
 * Provides the accounts of Data Plugs and of the providers of claimed Offers. A Data Plug acts only for an application
 * that the owner enabled from the list of the plug's exchange.
 */
export const createExternalAccounts = (parts: {
  store: ExchangeStore;
  enabledPlug: (application: string, tx?: Transaction) => EnabledPlug | undefined;
  debitState: (key: string) => DebitState | undefined;
}): ExternalAccounts & {
  scopesOfOffer(offer: string): ReadonlySet<Scope> | undefined;
} => {
  const { store, enabledPlug, debitState } = parts;

  const accountOfPlug = (row: PlugRow, tx?: Transaction): ExternalAccount | undefined => {
    const plug = enabledPlug(row.application, tx);
    if (plug === undefined || plug.origin !== row.exchange) return undefined;
    const holder = { kind: 'application', application: plug.id, version: plug.version } as const;
    return { name: row.name, passwordHash: row.password_hash, holder };
  };

  const accountOfClaim = (row: ClaimRow): ExternalAccount | undefined =>
    hasClaimEnded(debitState(row.debit_key))
      ? undefined
      : { name: row.login, passwordHash: row.password_hash, holder: { kind: 'offer', offer: row.offer } };

  const scopesCache = new WeakMap<ClaimRow, ReadonlySet<Scope>>();

  return {
    findByName(name) {
      const claim = store.claims().find(({ login }) => login === name);
      if (claim !== undefined) return accountOfClaim(claim);
      const key = nameKey(name);
      const plug = store.plugs().find((row) => row.name_key === key);
      return plug === undefined ? undefined : accountOfPlug(plug);
    },

    exists(tx, { holder, passwordHash }) {
      if (holder.kind === 'offer') {
        const row = store.claimWithin(tx, holder.offer);
        return row?.password_hash === passwordHash && accountOfClaim(row) !== undefined;
      }
      const accounts = store.plugsWithin(tx).flatMap((row) => accountOfPlug(row, tx) ?? []);
      return accounts.some(
        (other) =>
          other.holder.kind === 'application' &&
          other.holder.application === holder.application &&
          other.passwordHash === passwordHash,
      );
    },

    hashes: () =>
      [...store.plugs().map((row) => accountOfPlug(row)), ...store.claims().map(accountOfClaim)].flatMap(
        (account) => account?.passwordHash ?? [],
      ),

    scopesOfOffer(offer) {
      const row = store.claims().find((claim) => claim.offer === offer);
      if (row === undefined || hasClaimEnded(debitState(row.debit_key))) return undefined;
      let scopes = scopesCache.get(row);
      if (scopes === undefined) scopesCache.set(row, (scopes = new Set<Scope>([`debits:read:${row.debit_key}`])));
      return scopes;
    },
  };
};
