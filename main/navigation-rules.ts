/** Where an address that a page asks for leads. */
export type Destination = 'inside' | 'system-browser' | 'nowhere';

/** Windows cuts longer ones, and what is cut leads elsewhere. No address that a person follows is longer. */
const MAX_URL_CHARS = 2_000;

/**
 * Decides about every navigation, every new window and every link.
 *
 * - Our own server is shown inside; nothing else ever is.
 * - `https` goes to the system browser. Not `http` (anybody on the way can change it), not `file`, not the schemes of programs (`mailto:`, `ms-msdt:`, …): opening
 *   those means starting a program with words that a page chose.
 * - Everything else leads nowhere.
 *
 * @param ourAddress `http://127.0.0.1:<port>`, null while the server is not running
 */
export function destinationOf(url: string, ourAddress: string | null): Destination {
  if (url.length > MAX_URL_CHARS) return 'nowhere';
  const parsed = URL.parse(url);
  // Credentials in an address serve to hide its host: https://your-bank@elsewhere.example.
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return 'nowhere';
  if (isOurs(parsed, ourAddress)) return 'inside';
  return parsed.protocol === 'https:' ? 'system-browser' : 'nowhere';
}

/**
 * Whether a page may have what it asks for (camera, place, notifications, …). Only one thing is given, and only to our own pages: to put text that
 * the owner chose to copy onto the clipboard. Reading the clipboard is not.
 *
 * @param requester the address or origin of the page
 */
export function mayHave(permission: string, requester: string, ourAddress: string | null): boolean {
  const parsed = URL.parse(requester);
  return permission === 'clipboard-sanitized-write' && parsed !== null && isOurs(parsed, ourAddress);
}

function isOurs(url: URL, ourAddress: string | null): boolean {
  // The protocol is asked for as well: the origin of blob:http://… is that of its maker.
  return ourAddress !== null && url.protocol === 'http:' && url.origin === ourAddress;
}
