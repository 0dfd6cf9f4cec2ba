// @ts-nocheck -- The types of service workers and those of pages cannot be in one program.

/**
 * Service worker that shows the offline page when the dashboard cannot be loaded. Its cache contains the two files of
 * that page and nothing else. It handles two requests: navigations to `/`, where all pages of the dashboard are, and
 * the script of the offline page. The browser sends all other requests as without a service worker.
 */

// Ends with the hash of the files. A new name makes browsers install the worker again and reload them.
const CACHE = 'offline-page-9699b2b9';
const PAGE = '/offline.html';
const SCRIPT = '/offline.js';

const removeOldCaches = async () => {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name)));
};

const loadDashboard = async (event) => {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(PAGE)) ?? Response.error();
  }
};

const loadScript = async (request) => (await caches.match(SCRIPT)) ?? fetch(request);

self.addEventListener('install', (event) => {
  const files = [PAGE, SCRIPT].map((path) => new Request(path, { cache: 'reload' }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(files)));
  // Open pages do not depend on the version of the worker.
  self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  // With preload, the navigation does not wait until the worker has started.
  event.waitUntil(Promise.all([removeOldCaches(), self.registration.navigationPreload?.enable()]));
});

self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== self.location.origin) return;
  if (event.request.mode === 'navigate' && pathname === '/') event.respondWith(loadDashboard(event));
  else if (pathname === SCRIPT) event.respondWith(loadScript(event.request));
});
