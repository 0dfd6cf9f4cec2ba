import { useSyncExternalStore } from 'react';

/** The owner's token: in this tab only, or on this device if the owner asked for it. */

const KEY = 'pda-token';

function read(store: Storage): string | null {
  try {
    return store.getItem(KEY);
  } catch {
    return null;
  }
}

function write(store: Storage, value: string | null): void {
  try {
    if (value === null) store.removeItem(KEY);
    else store.setItem(KEY, value);
  } catch {
    // Storage is off or full: the session then lives as long as the page.
  }
}

let kept = read(localStorage) !== null;
let token = read(sessionStorage) ?? read(localStorage);
let signIns = 0;
const listeners = new Set<() => void>();

function set(next: string | null): void {
  const turned = (next === null) !== (token === null);
  token = next;
  if (turned) for (const listener of listeners) listener();
}

// Signing in or out in another tab of a kept session counts here too.
addEventListener('storage', (event) => {
  if (event.key !== KEY || !kept) return;
  set(event.newValue);
});

export function currentToken(): string | null {
  return token;
}

/** Which sign-in this is: an answer to an earlier one says nothing about the present one. */
export function signInNumber(): number {
  return signIns;
}

export function signIn(newToken: string, keep: boolean): void {
  signIns += 1;
  kept = keep;
  write(localStorage, keep ? newToken : null);
  write(sessionStorage, keep ? null : newToken);
  set(newToken);
}

/** The renewed token of an answer. One that comes in after signing out must not sign in again. */
export function renew(asked: number, newToken: string): void {
  if (token === null || asked !== signIns) return;
  write(kept ? localStorage : sessionStorage, newToken);
  set(newToken);
}

/** Replaces the token after a password change, keeping where it is stored. */
export function replaceToken(newToken: string): void {
  signIn(newToken, kept);
}

export function forgetToken(): void {
  signIns += 1;
  write(localStorage, null);
  write(sessionStorage, null);
  kept = false;
  set(null);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useSignedIn(): boolean {
  return useSyncExternalStore(subscribe, () => token !== null);
}
