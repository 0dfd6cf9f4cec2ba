import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';

const readPublic = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`public/${name}`, import.meta.url)), 'utf8');

const WORKER = readPublic('service-worker.js');
const ORIGIN = 'https://ada.example';

type Listener = (event: unknown) => void;

function listenersOfWorker(): Map<string, Listener> {
  const listeners = new Map<string, Listener>();
  const self = {
    location: { origin: ORIGIN },
    addEventListener: (name: string, listener: Listener) => listeners.set(name, listener),
  };
  runInNewContext(WORKER, { self, URL, fetch: () => undefined, caches: { match: () => Promise.resolve() } });
  return listeners;
}

function intercepts(url: string, mode: string): boolean {
  let isIntercepted = false;
  listenersOfWorker().get('fetch')?.({
    request: { url: new URL(url, ORIGIN).href, mode },
    respondWith: () => {
      isIntercepted = true;
    },
  });
  return isIntercepted;
}

describe('service worker', () => {
  it('has a new cache name whenever the offline page changes', () => {
    const hash = createHash('sha256');
    for (const name of ['offline.html', 'offline.js']) hash.update(readPublic(name));
    expect(/'offline-page-(\w+)'/u.exec(WORKER)?.[1]).toBe(hash.digest('hex').slice(0, 8));
  });

  it('responds only to dashboard navigations and to requests for the offline page’s script', () => {
    expect(intercepts('/', 'navigate')).toBe(true);
    expect(intercepts('/offline.js', 'no-cors')).toBe(true);
    for (const [url, mode] of [
      ['/', 'cors'],
      ['/api/v2.6/owner', 'cors'],
      ['/api/v2.6/owner/events', 'cors'],
      ['/api/v2.6/files/content/1?signature=x', 'navigate'],
      ['/api/v2.6/owner/exports/1', 'navigate'],
      ['/pdalogin?name=app&redirect=https://app.example', 'navigate'],
      ['/docs/README.html', 'navigate'],
      ['/assets/start-1.js', 'cors'],
      ['/index.html', 'navigate'],
      ['https://other.example/offline.js', 'no-cors'],
    ] as const)
      expect([url, intercepts(url, mode)]).toStrictEqual([url, false]);
  });
});
