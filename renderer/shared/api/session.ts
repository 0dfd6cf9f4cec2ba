import { useSyncExternalStore } from 'react';

/** Key of the token in the storage of this tab or, if the user stays signed in, of this device. */
const STORAGE_KEY = 'pda-token';

// If the browser blocks site data, reading the property `localStorage` or `sessionStorage` throws.
type StorageName = 'localStorage' | 'sessionStorage';

function readStorage(name: StorageName): string | null {
  try {
    return globalThis[name].getItem(STORAGE_KEY);
  } catch {
    return null;
  }
}

function writeStorage(name: StorageName, value: string | null): void {
  try {
    if (value === null) globalThis[name].removeItem(STORAGE_KEY);
    else globalThis[name].setItem(STORAGE_KEY, value);
  } catch {
    // Without storage, the session lives as long as the page.
  }
}

let isPersistent = readStorage('localStorage') !== null;
let token = readStorage('sessionStorage') ?? readStorage('localStorage');
let sessionNumber = 0;

/** `signed-out`: deliberately, in this tab; `ended`: in any other way. */
export type SessionEnd = 'signed-out' | 'ended';
let lastEnd: SessionEnd | undefined;

const listeners = new Set<() => void>();

/** @param end how the session ended, if `next` is null */
function setToken(next: string | null, end?: SessionEnd): void {
  const isTransition = (next === null) !== (token === null) || end !== lastEnd;
  token = next;
  lastEnd = end;
  if (isTransition) for (const listener of listeners) listener();
}

/** Adopts the state of another tab. Responses to requests with the previous token no longer change the session. */
function adopt(next: string | null): void {
  sessionNumber += 1;
  setToken(next, next === null ? 'ended' : undefined);
}

// Tabs with a persistent session share it, so signing in or out in another tab applies here too.
addEventListener('storage', (event) => {
  if (event.key === STORAGE_KEY && isPersistent) adopt(event.newValue);
});

/** Returns null if signed out. */
export function currentToken(): string | null {
  return token;
}

/**
 * Returns a number that changes whenever a session begins or ends, and whenever a password change or another tab
 * replaces the token. The response to a request that was sent under an earlier number must not change the session.
 */
export function currentSessionNumber(): number {
  return sessionNumber;
}

/** @param persistent keeps the session on this device */
export function signIn(newToken: string, persistent: boolean): void {
  sessionNumber += 1;
  isPersistent = persistent;
  writeStorage('localStorage', persistent ? newToken : null);
  writeStorage('sessionStorage', persistent ? null : newToken);
  setToken(newToken);
}

/**
 * Stores the renewed token, unless the session number has changed since the request was sent: a response that arrives
 * after a sign-out must not sign the user in again.
 */
export function renewToken(sessionOfRequest: number, newToken: string): void {
  if (token === null || sessionOfRequest !== sessionNumber) return;
  writeStorage(isPersistent ? 'localStorage' : 'sessionStorage', newToken);
  setToken(newToken);
}

/** Replaces the token after a password change, in the same storage. */
export function replaceToken(newToken: string): void {
  signIn(newToken, isPersistent);
}

/** Ends the session in this browser only. */
export function forgetToken(end: SessionEnd = 'ended'): void {
  sessionNumber += 1;
  writeStorage('localStorage', null);
  writeStorage('sessionStorage', null);
  isPersistent = false;
  // A request that is refused while signed out does not end a session.
  setToken(null, end === 'ended' && token === null ? lastEnd : end);
}

/**
 * Ends the session after the server has refused its token, unless the session number has changed since the request was
 * sent. If another tab has stored a newer token, such as after a password change, uses that token instead.
 */
export function endRefusedSession(sessionOfRequest: number): void {
  if (sessionOfRequest !== sessionNumber) return;
  const storedToken = isPersistent ? readStorage('localStorage') : null;
  if (storedToken !== null && storedToken !== token) adopt(storedToken);
  else forgetToken();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useIsSignedIn(): boolean {
  return useSyncExternalStore(subscribe, () => token !== null);
}

/** Returns undefined if signed in, or if no session has ended since the page was loaded. */
export function useLastSessionEnd(): SessionEnd | undefined {
  return useSyncExternalStore(subscribe, () => lastEnd);
}
