import { beforeEach, describe, expect, it, vi } from 'vitest';

const STORAGE_KEY = 'pda-token';

function createStorage(): Storage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
    clear: () => items.clear(),
    key: (index) => [...items.keys()][index] ?? null,
    get length() {
      return items.size;
    },
  };
}

describe('a persistent session', () => {
  let session: typeof import('./session.ts');
  let notifyOfStorage: (event: Pick<StorageEvent, 'key' | 'newValue'>) => void;

  /** Stores a token as another tab does, without the event that this tab receives later. */
  const storeInOtherTab = (token: string) => localStorage.setItem(STORAGE_KEY, token);

  beforeEach(async () => {
    vi.resetModules();
    vi.stubGlobal('localStorage', createStorage());
    vi.stubGlobal('sessionStorage', createStorage());
    vi.stubGlobal('addEventListener', (_name: string, listener: typeof notifyOfStorage) => {
      notifyOfStorage = listener;
    });
    session = await import('./session.ts');
    session.signIn('first', true);
    return () => vi.unstubAllGlobals();
  });

  it('ends if its token is refused', () => {
    session.endRefusedSession(session.currentSessionNumber());
    expect([session.currentToken(), localStorage.getItem(STORAGE_KEY)]).toEqual([null, null]);
  });

  it('survives the refusal of a token that another tab has replaced', () => {
    const sessionOfRequest = session.currentSessionNumber();
    storeInOtherTab('second');
    notifyOfStorage({ key: STORAGE_KEY, newValue: 'second' });
    session.endRefusedSession(sessionOfRequest);
    expect([session.currentToken(), localStorage.getItem(STORAGE_KEY)]).toEqual(['second', 'second']);
  });

  it('survives the refusal of a replaced token even before this tab is notified of the new token', () => {
    storeInOtherTab('second');
    session.endRefusedSession(session.currentSessionNumber());
    expect([session.currentToken(), localStorage.getItem(STORAGE_KEY)]).toEqual(['second', 'second']);
    session.endRefusedSession(session.currentSessionNumber());
    expect([session.currentToken(), localStorage.getItem(STORAGE_KEY)]).toEqual([null, null]);
  });

  it('does not store a renewal of a token that another tab has replaced', () => {
    const sessionOfRequest = session.currentSessionNumber();
    storeInOtherTab('second');
    notifyOfStorage({ key: STORAGE_KEY, newValue: 'second' });
    session.renewToken(sessionOfRequest, 'first, renewed');
    expect([session.currentToken(), localStorage.getItem(STORAGE_KEY)]).toEqual(['second', 'second']);
  });
});

it('begins and ends a session in a browser that blocks site data', async () => {
  vi.resetModules();
  const blocked = {
    configurable: true,
    get: () => {
      throw new DOMException('Access is denied.', 'SecurityError');
    },
  };
  Object.defineProperties(globalThis, { localStorage: blocked, sessionStorage: blocked });
  vi.stubGlobal('addEventListener', () => undefined);
  try {
    const session = await import('./session.ts');
    session.signIn('first', true);
    expect(session.currentToken()).toBe('first');
    session.endRefusedSession(session.currentSessionNumber());
    expect(session.currentToken()).toBe(null);
  } finally {
    Reflect.deleteProperty(globalThis, 'localStorage');
    Reflect.deleteProperty(globalThis, 'sessionStorage');
    vi.unstubAllGlobals();
  }
});
