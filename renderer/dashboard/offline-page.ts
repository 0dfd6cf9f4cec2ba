import { isLocalHost } from '../shared/help/chapters.ts';

const WORKER_URL = '/service-worker.js';

/**
 * Registers the service worker that shows the offline page, on other devices only: on the PDA's own machine, another
 * program can use the host and port later, and the desktop app has its own page for a stopped PDA. Browsers support
 * service workers only in secure contexts.
 */
export function registerOfflinePage(): void {
  if (!('serviceWorker' in navigator) || isLocalHost(location.hostname)) return;
  navigator.serviceWorker.register(WORKER_URL, { updateViaCache: 'none' }).catch(() => {
    // The dashboard works without an offline page. Its next start tries to register the worker again.
  });
}

/** Removes all service workers and caches of this origin. */
export async function removeOfflinePage(): Promise<void> {
  if (!('serviceWorker' in navigator)) return;
  const registrations = await navigator.serviceWorker.getRegistrations();
  await Promise.all(registrations.map((registration) => registration.unregister()));
  const names = await caches.keys();
  await Promise.all(names.map((name) => caches.delete(name)));
}
