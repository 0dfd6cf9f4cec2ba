import { Failure } from '../../../../platform/failure.ts';
import { ANONYMOUS, type Principal, type Scope } from '../../../../platform/auth/principal.ts';
import type { IdentifiedCaller } from '../../../../platform/http/route.ts';
import type { ShortLivedClaims } from '../../../../wire/contracts.ts';
import type { Credentials } from './credentials.ts';
import { knowsNamespace, scopesOf } from '../rules.ts';
import type { ApprovedContract } from '../service.ts';
import type { ContractStore } from '../store.ts';
import type { ContractTokens } from './tokens.ts';

/** Who a contracted call speaks for. */
export type ContractAccess = {
  /** @throws Failure forbidden when the token belongs to no joined contract */
  identify(credentials: Credentials, namespace: string): Promise<IdentifiedCaller>;
  /** Whether the contracts service signed one of these tokens, and it has not expired. */
  isSigned(tokens: readonly Pick<Credentials, 'token' | 'tokenHash'>[]): Promise<boolean>;
};

type ContractPrincipal = Extract<Principal, { kind: 'contract' }>;

const NONE: ReadonlySet<Scope> = new Set();

export const createContractAccess = (parts: {
  store: ContractStore;
  tokens: ContractTokens;
  /** Contracts by id, as the owner approved them last. */
  approved: (id: string) => ApprovedContract | undefined;
  /** Names that this PDA goes by. */
  pdaNames: () => readonly string[];
}): ContractAccess => {
  const { store, tokens, approved, pdaNames } = parts;

  /** What the owner approved, of a contract that is joined here. */
  const joined = (id: string): ReadonlySet<Scope> | undefined => {
    const member = store.find(id);
    // Whether the service knows already does not matter: the owner has agreed. What it refused is not joined.
    if (member === undefined || (member.state !== 'joining' && member.state !== 'joined')) return undefined;
    const approval = approved(id);
    // Ids of applications are one whatever their case, those of contracts are not: another contract must not come in by a resemblance.
    return approval?.enabled === true && approval.id === id ? approval.scopes : undefined;
  };

  const isKnown = (namespace: string): boolean =>
    store.list().some(({ id }) => {
      const scopes = joined(id);
      return scopes !== undefined && knowsNamespace(scopes, namespace);
    });

  const goesBy = (id: string, name: string): boolean => pdaNames().includes(name) || store.find(id)?.pda_name === name;

  /** Worked out once for each token, while the owner approves the same. */
  const principals = new WeakMap<ShortLivedClaims, { rights: ReadonlySet<Scope>; principal: ContractPrincipal }>();
  const principalOf = (claims: ShortLivedClaims, rights: ReadonlySet<Scope>): ContractPrincipal => {
    const before = principals.get(claims);
    if (before?.rights === rights) return before.principal;
    const principal = { kind: 'contract', contract: claims.sub, scopes: scopesOf(rights, claims.namespaces) } as const;
    principals.set(claims, { rights, principal });
    return principal;
  };

  /** Who the token speaks for by now. */
  const standing = (claims: ShortLivedClaims): Principal => {
    const now = joined(claims.sub);
    return now === undefined ? ANONYMOUS : principalOf(claims, now);
  };

  return {
    async isSigned(candidates) {
      for (const candidate of candidates) if ((await tokens.verify(candidate))?.expired === false) return true;
      return false;
    },
    async identify(credentials, namespace) {
      const { contractId, pdaName } = credentials;
      const found = await tokens.verify(credentials);
      if (found === undefined) throw new Failure('forbidden', 'The token of this call is not valid.');
      const { claims, expired } = found;
      const refused = (code: 'forbidden' | 'not_found', reason: string): IdentifiedCaller => ({
        principal: { kind: 'contract', contract: claims.sub, scopes: NONE },
        current: () => ANONYMOUS,
        refused: new Failure(code, reason),
      });
      if (expired) return refused('forbidden', 'The token of this call has expired. Ask for the keyring again.');
      if (claims.sub !== contractId) return refused('forbidden', 'The token of this call is of another contract.');
      if (!goesBy(contractId, pdaName)) return refused('forbidden', 'This PDA goes by another name.');
      const rights = joined(contractId);
      if (rights === undefined) return refused('forbidden', 'This PDA has not joined the contract.');
      const principal = principalOf(claims, rights);
      const isNamed =
        knowsNamespace(principal.scopes, namespace) || claims.namespaces.some((entry) => entry.namespace === namespace);
      if (!isNamed && !isKnown(namespace))
        return refused('not_found', 'No contract has a namespace or an endpoint of this name.');
      return { principal, current: () => standing(claims) };
    },
  };
};
