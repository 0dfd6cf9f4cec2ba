// @ts-nocheck -- The types of service workers conflict with those of pages.

// Service worker that shows the offline page when the dashboard cannot be loaded. Its cache contains the two files of
// that page and nothing else. The worker handles two kinds of requests: navigations to `/`, the path of all
// dashboard pages, and requests for the script of the offline page. The browser handles all others as usual.

// Ends with a hash of the two files. A new name makes browsers install the worker and fetch the files again.
const CACHE_NAME = 'offline-page-aae0fbf2';
const PAGE_PATH = '/offline.html';
const SCRIPT_PATH = '/offline.js';

const removeOldCaches = async () => {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name !== CACHE_NAME).map((name) => caches.delete(name)));
};

const loadDashboard = async (event) => {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await caches.match(PAGE_PATH)) ?? Response.error();
  }
};

const loadScript = async (request) => (await caches.match(SCRIPT_PATH)) ?? fetch(request);

self.addEventListener('install', (event) => {
  const files = [PAGE_PATH, SCRIPT_PATH].map((path) => new Request(path, { cache: 'reload' }));
  event.waitUntil(caches.open(CACHE_NAME).then((cache) => cache.addAll(files)));
  // Open pages do not depend on the version of the worker.
  self.skipWaiting();
});

self.addEventListener('activate', (event) => {
  // With preload, a navigation does not wait for the worker to start.
  event.waitUntil(Promise.all([removeOldCaches(), self.registration.navigationPreload?.enable()]));
});

self.addEventListener('fetch', (event) => {
  const { origin, pathname } = new URL(event.request.url);
  if (origin !== self.location.origin) return;
  if (event.request.mode === 'navigate' && pathname === '/') event.respondWith(loadDashboard(event));
  else if (pathname === SCRIPT_PATH) event.respondWith(loadScript(event.request));
});
