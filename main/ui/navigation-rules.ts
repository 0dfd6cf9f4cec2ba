/** Where an address that a page asks for leads. */
export type Destination = 'inside' | 'system-browser' | 'nowhere';

/** Windows cuts longer ones, and what is cut leads elsewhere. No address that a person follows is longer. */
const MAX_URL_CHARS = 2_000;

/**
 * Decides about every navigation, every new window and every link.
 *
 * - Our own server is shown inside; nothing else ever is.
 * - `https`, `http` and `mailto` go to the system, which shows them in a browser or begins a letter. Not `http` on this computer itself, where what
 *   listens trusts whoever can reach it; not a letter with an attachment; not `file`, not the schemes of programs (`ms-msdt:`, …): opening those
 *   means starting a program with words that a page chose.
 * - Everything else leads nowhere.
 *
 * @param ourAddress `http://localhost:<port>`, null while the server is not running
 */
export function destinationOf(url: string, ourAddress: string | null): Destination {
  if (url.length > MAX_URL_CHARS) return 'nowhere';
  const parsed = URL.parse(url);
  // Credentials in an address serve to hide its host: https://your-bank@elsewhere.example.
  if (parsed === null || parsed.username !== '' || parsed.password !== '') return 'nowhere';
  if (isOurs(parsed, ourAddress)) return 'inside';
  return mayLeave(parsed) ? 'system-browser' : 'nowhere';
}

/** This computer by any of its names; the parser of addresses has written numbers of any kind in the usual way. */
const THIS_COMPUTER =
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])\.?$/;
/** What a letter may begin with. Some mail programs attach files that a link names. */
const LETTER: ReadonlySet<string> = new Set(['subject', 'body', 'cc', 'bcc', 'to']);

function mayLeave(url: URL): boolean {
  switch (url.protocol) {
    case 'https:':
      return true;
    case 'http:':
      return !THIS_COMPUTER.test(url.hostname);
    case 'mailto:':
      return [...url.searchParams.keys()].every((name) => LETTER.has(name.toLowerCase()));
    default:
      return false;
  }
}

/** What does not leave this process: made by a page, or by us. */
const MADE_HERE: ReadonlySet<string> = new Set([
  'data:',
  'blob:',
  'about:',
  'devtools:',
  'chrome-extension:',
  'chrome:',
]);

/** Whether something may be fetched: the PDA's own pages need nothing of anybody else's. */
export function mayLoad(url: string, ourAddress: string | null): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && (isOurs(parsed, ourAddress) || MADE_HERE.has(parsed.protocol));
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
