import { ANONYMOUS, type Principal, type Scope } from '../../../platform/auth/principal.ts';
import { createLateBinding } from '../../../platform/service/late-binding.ts';
import type { TakeNote } from './audit-entry.ts';
import type { OwnersGate } from './sign-in/authenticator.ts';
import { noAccounts, type Accounts } from './sign-in/external-accounts.ts';

/** Returns the scopes of a principal by its name; undefined when it has no access any more. Called for each of its requests. */
export type ResolveScopes = (name: string) => ReadonlySet<Scope> | undefined;

/** Finds the principal of a token that this PDA did not sign; `VISITOR` when there is none. */
export type ResolveToken = (token: string) => Promise<Principal>;

/** What other rooms register with the owner's account after it was created. A second registration of the same thing throws, except for guards. */
export type OwnerRegistrations = {
  /** Registers where the scopes of applications, or of the providers of Offers, come from. */
  addPrincipalResolver(kind: 'application' | 'offer', resolve: ResolveScopes): void;
  /** Registers who reads the tokens that another service signed. */
  setTokenResolver(resolve: ResolveToken): void;
  /** Registers the accounts of Data Plugs and of the providers of Offers, which sign in by name and password. */
  setExternalAccounts(accounts: Accounts): void;
  /** Registers the second factor of the owner's sign-in. */
  setSecondFactor(gate: OwnersGate): void;
  /**
   * Registers a check that runs before a password is read.
   * @param refuse throws Failure forbidden when a password sent to this host[:port] could be read on the way
   */
  addSignInGuard(refuse: (host: string) => void): void;
  /** Registers the log of account changes. It is called within the transaction of a change, and without one for a refusal. */
  onAccountChange(listener: TakeNote): void;
  /** Registers how many fields of the profile are public. */
  setPublicFieldCount(count: () => number): void;
};

/** Creates the registrations and the functions by which the owner's account uses what was registered. */
export const createOwnerRegistrations = () => {
  const resolvers = {
    application: createLateBinding<ResolveScopes>('the scopes of applications'),
    offer: createLateBinding<ResolveScopes>('the scopes of Offers'),
  };
  const resolveToken = createLateBinding<ResolveToken>('the resolver of foreign tokens');
  const accounts = createLateBinding<Accounts>('external accounts');
  const secondFactor = createLateBinding<OwnersGate>('the second factor');
  const guards: ((host: string) => void)[] = [];
  const accountChanges = createLateBinding<TakeNote>('the log of account changes');
  const publicFields = createLateBinding<() => number>('the count of public profile fields');

  const registrations: OwnerRegistrations = {
    addPrincipalResolver: (kind, resolve) => resolvers[kind].register(resolve),
    setTokenResolver: resolveToken.register,
    setExternalAccounts: accounts.register,
    setSecondFactor: secondFactor.register,
    addSignInGuard: (refuse) => void guards.push(refuse),
    onAccountChange: accountChanges.register,
    setPublicFieldCount: publicFields.register,
  };

  return {
    registrations,
    scopesOf: (kind: 'application' | 'offer', name: string) => resolvers[kind].find()?.(name),
    resolveToken: (token: string): Promise<Principal> => resolveToken.find()?.(token) ?? Promise.resolve(ANONYMOUS),
    accounts: (): Accounts => accounts.find() ?? noAccounts,
    secondFactor: secondFactor.find,
    refusePassword(host: string): void {
      for (const refuse of guards) refuse(host);
    },
    noteChange: ((tx, note) => accountChanges.find()?.(tx, note)) satisfies TakeNote,
    publicFieldCount: (): number => publicFields.find()?.() ?? 0,
  };
};
