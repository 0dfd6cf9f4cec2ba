/** Chapters by page; the first match applies. */
export const CHAPTERS: readonly (readonly [page: string, chapter: string])[] = [
  ['/requests/offers', 'guide/requests.html#offers'],
  ['/requests', 'guide/requests.html'],
  ['/sharing/contracts', 'guide/sharing.html#contracts'],
  ['/sharing', 'guide/sharing.html'],
  ['/data', 'guide/bring-data-in.html'],
  ['/files', 'guide/files.html'],
  ['/timeline', 'guide/bring-data-in.html#the-timeline'],
  ['/applications', 'guide/applications.html'],
  ['/functions', 'guide/functions.html'],
  ['/history', 'guide/who-looked.html'],
  ['/settings/address', 'guide/address.html'],
  ['/settings/backup', 'guide/backup.html'],
  ['/settings/people', 'guide/files.html#share-a-file'],
  ['/settings/network', 'guide/requests.html#offers'],
  ['/settings/erase', 'guide/erase.html'],
  ['/settings/move', 'guide/move.html'],
  ['/settings/profile', 'guide/profile.html'],
  ['/settings/api', 'README.html#for-developers'],
  ['/settings/about', 'README.html'],
  ['/settings', 'guide/sign-in.html'],
];

const DEFAULT_CHAPTER = 'guide/start.html';
export const FUNCTION_GUIDE_CHAPTER = 'functions.html';
export const MAP_FILE_CHAPTER = 'guide/bring-data-in.html#street-detail-on-maps';
export const SIGN_IN_TROUBLE_CHAPTER = 'guide/trouble.html#i-cannot-sign-in';

export function chapterFor(pathname: string): string {
  return CHAPTERS.find(([page]) => pathname === page || pathname.startsWith(`${page}/`))?.[1] ?? DEFAULT_CHAPTER;
}

/** Returns true if the browser runs on the PDA's own machine, where the guide requires no sign-in. */
export function isLocalHost(hostname: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])$/.test(hostname);
}
