import { Failure } from '../../../../platform/failure.ts';
import { ANONYMOUS, type Principal, type Scope } from '../../../../platform/auth/principal.ts';
import type { IdentifiedCaller } from '../../../../platform/http/route.ts';
import type { ShortLivedClaims } from '../../../../wire/contracts.ts';
import type { Credentials } from './credentials.ts';
import { includesNamespace, scopesOf } from '../rules.ts';
import type { ApprovedContract } from '../service.ts';
import type { ContractStore } from '../store.ts';
import type { ContractTokens } from './tokens.ts';

export type ContractAccess = ReturnType<typeof createContractAccess>;

type ContractPrincipal = Extract<Principal, { kind: 'contract' }>;

const NO_SCOPES: ReadonlySet<Scope> = new Set();

export const createContractAccess = (parts: {
  store: ContractStore;
  tokens: ContractTokens;
  approvedContract: (id: string) => ApprovedContract | undefined;
  pdaNames: () => readonly string[];
}) => {
  const { store, tokens, approvedContract, pdaNames } = parts;

  const approvedScopes = (id: string): ReadonlySet<Scope> | undefined => {
    const member = store.find(id);
    // The owner's decision is sufficient, even before the service confirms it. A rejected membership gives no access.
    if (member === undefined || (member.state !== 'joining' && member.state !== 'joined')) return undefined;
    const approval = approvedContract(id);
    // Contract ids are case-sensitive; application ids are not. An id that differs only in case must not give access.
    return approval?.enabled === true && approval.id === id ? approval.scopes : undefined;
  };

  const isKnownNamespace = (namespace: string): boolean =>
    store.list().some(({ id }) => {
      const scopes = approvedScopes(id);
      return scopes !== undefined && includesNamespace(scopes, namespace);
    });

  const isPdaName = (contractId: string, name: string): boolean =>
    pdaNames().includes(name) || store.find(contractId)?.pda_name === name;

  const principals = new WeakMap<ShortLivedClaims, { rights: ReadonlySet<Scope>; principal: ContractPrincipal }>();
  const principalOf = (claims: ShortLivedClaims, rights: ReadonlySet<Scope>): ContractPrincipal => {
    const cachedEntry = principals.get(claims);
    if (cachedEntry?.rights === rights) return cachedEntry.principal;
    const principal = { kind: 'contract', contract: claims.sub, scopes: scopesOf(rights, claims.namespaces) } as const;
    principals.set(claims, { rights, principal });
    return principal;
  };

  const currentPrincipal = (claims: ShortLivedClaims): Principal => {
    const rights = approvedScopes(claims.sub);
    return rights === undefined ? ANONYMOUS : principalOf(claims, rights);
  };

  return {
    /** Returns true if the contracts service signed one of the tokens and that token is currently valid. */
    async hasValidToken(candidates: readonly Pick<Credentials, 'token' | 'tokenHash'>[]): Promise<boolean> {
      for (const candidate of candidates)
        if ((await tokens.verify(candidate))?.isOutsideValidity === false) return true;
      return false;
    },
    /** @throws Failure forbidden if the token is invalid */
    async identify(credentials: Credentials, namespace: string): Promise<IdentifiedCaller> {
      const { contractId, pdaName } = credentials;
      const token = await tokens.verify(credentials);
      if (token === undefined) throw new Failure('forbidden', 'The token of this request is not valid.');
      const { claims, isOutsideValidity } = token;
      const refuse = (code: 'forbidden' | 'not_found', reason: string): IdentifiedCaller => ({
        principal: { kind: 'contract', contract: claims.sub, scopes: NO_SCOPES },
        currentPrincipal: () => ANONYMOUS,
        refusal: new Failure(code, reason),
      });
      if (isOutsideValidity)
        return refuse(
          'forbidden',
          'The token of this request has expired or is not yet valid. Request the keyring again.',
        );
      if (claims.sub !== contractId)
        return refuse('forbidden', 'The token of this request belongs to a different contract.');
      if (!isPdaName(contractId, pdaName)) return refuse('forbidden', 'This PDA has a different name.');
      const rights = approvedScopes(contractId);
      if (rights === undefined) return refuse('forbidden', 'This PDA has not joined the contract.');
      const principal = principalOf(claims, rights);
      const isNamespaceInToken = claims.namespaces.some((entry) => entry.namespace === namespace);
      if (!isNamespaceInToken && !isKnownNamespace(namespace))
        return refuse('not_found', 'No contract has a namespace or an endpoint with this name.');
      return { principal, currentPrincipal: () => currentPrincipal(claims) };
    },
  };
};
