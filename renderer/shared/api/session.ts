import { useSyncExternalStore } from 'react';

/** Storage key of the session token, which is stored in this tab or, if the owner stays signed in, on this device. */

const STORAGE_KEY = 'pda-token';

function readStorage(storage: Storage): string | null {
  try {
    return storage.getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function writeStorage(storage: Storage, value: string | null): void {
  try {
    if (value === null) storage.removeItem(STORAGE_KEY);
    else storage.setItem(STORAGE_KEY, value);
  } catch {
    // Storage is disabled or full: the session lives as long as the page.
  }
}

let isPersistent = readStorage(localStorage) !== null;
let token = readStorage(sessionStorage) ?? readStorage(localStorage);
let signIns = 0;
const listeners = new Set<() => void>();

function setToken(next: string | null): void {
  const isTransition = (next === null) !== (token === null);
  token = next;
  if (isTransition) for (const listener of listeners) listener();
}

// A persistent session is shared by all tabs: signing in or out in another tab applies here too.
addEventListener('storage', (event) => {
  if (event.key !== STORAGE_KEY || !isPersistent) return;
  setToken(event.newValue);
});

/** Returns the session token; null if signed out. */
export function currentToken(): string | null {
  return token;
}

/** Number of the current sign-in. Identifies responses to requests of an earlier session, which must be ignored. */
export function signInNumber(): number {
  return signIns;
}

/** Stores the token of a new session; `persistent` keeps it on this device. */
export function signIn(newToken: string, persistent: boolean): void {
  signIns += 1;
  isPersistent = persistent;
  writeStorage(localStorage, persistent ? newToken : null);
  writeStorage(sessionStorage, persistent ? null : newToken);
  setToken(newToken);
}

/**
 * Stores the renewed token of a response. Ignores it when the request was sent under another sign-in: a response that
 * arrives after signing out must not sign in again.
 */
export function renewToken(signInOfRequest: number, newToken: string): void {
  if (token === null || signInOfRequest !== signIns) return;
  writeStorage(isPersistent ? localStorage : sessionStorage, newToken);
  setToken(newToken);
}

/** Replaces the token after a password change, in the same storage. */
export function replaceToken(newToken: string): void {
  signIn(newToken, isPersistent);
}

/** Ends the session in this browser. */
export function forgetToken(): void {
  signIns += 1;
  writeStorage(localStorage, null);
  writeStorage(sessionStorage, null);
  isPersistent = false;
  setToken(null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useIsSignedIn(): boolean {
  return useSyncExternalStore(subscribe, () => token !== null);
}
