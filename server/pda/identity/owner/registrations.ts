import { ANONYMOUS, type Principal, type Scope } from '../../../platform/auth/principal.ts';
import { createLateBinding } from '../../../platform/service/late-binding.ts';
import type { AccountEventRecorder } from './account-log.ts';
import type { SecondFactorCheck } from './sign-in/authenticator.ts';
import { noExternalAccounts, type ExternalAccounts } from './sign-in/external-accounts.ts';

/** Returns the scopes of a principal; undefined if the principal no longer has access. Called for each request. */
export type ScopeResolver = (name: string) => ReadonlySet<Scope> | undefined;

/** Returns the principal of a token that this PDA did not sign; `ANONYMOUS` if there is none. */
export type TokenResolver = (token: string) => Promise<Principal>;

export const createOwnerRegistrations = () => {
  const resolvers = {
    application: createLateBinding<ScopeResolver>('the scopes of applications'),
    offer: createLateBinding<ScopeResolver>('the scopes of Offers'),
  };
  const resolveToken = createLateBinding<TokenResolver>('the resolver of tokens of other issuers');
  const accounts = createLateBinding<ExternalAccounts>('external accounts');
  const secondFactor = createLateBinding<SecondFactorCheck>('the second factor');
  const guards: ((host: string) => void)[] = [];
  const accountChanges = createLateBinding<AccountEventRecorder>('the log of account changes');
  const setUpListeners: (() => void)[] = [];
  const publicFields = createLateBinding<() => number>('the count of public profile fields');

  /** Registering a second function of a kind throws, except for guards and listeners of the set-up. */
  const registrations = {
    setScopeResolver: (kind: 'application' | 'offer', resolve: ScopeResolver): void =>
      resolvers[kind].register(resolve),
    setTokenResolver: resolveToken.register,
    setExternalAccounts: accounts.register,
    setSecondFactor: secondFactor.register,
    /** @param guard throws Failure forbidden if a third party could read a password sent to this host[:port] */
    addSignInGuard: (guard: (host: string) => void): void => void guards.push(guard),
    /** @throws Failure forbidden */
    requirePasswordAllowed(host: string): void {
      for (const guard of guards) guard(host);
    },
    onAccountChange: accountChanges.register,
    /** Registers a listener that is called after the set-up is stored. */
    onSetUp: (listener: () => void): void => void setUpListeners.push(listener),
    setPublicFieldCount: publicFields.register,
  };

  return {
    registrations,
    scopesOf: (kind: 'application' | 'offer', name: string) => resolvers[kind].find()?.(name),
    resolveToken: (token: string): Promise<Principal> => resolveToken.find()?.(token) ?? Promise.resolve(ANONYMOUS),
    accounts: (): ExternalAccounts => accounts.find() ?? noExternalAccounts,
    secondFactor: secondFactor.find,
    recordAccountEvent: ((tx, event) => accountChanges.find()?.(tx, event)) satisfies AccountEventRecorder,
    reportSetUp(): void {
      for (const listener of setUpListeners) listener();
    },
    publicFieldCount: (): number => publicFields.find()?.() ?? 0,
  };
};

export type OwnerRegistrations = ReturnType<typeof createOwnerRegistrations>['registrations'];
