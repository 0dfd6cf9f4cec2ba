/**
 * `pda://` links open a page of the dashboard, and do nothing else: any web page can make the system call us with one. Two of them mean something;
 * whatever is odd opens the home page.
 *
 *   pda://open                    the home page
 *   pda://request/<key>           the preview of a request; the key in percent-encoding, slashes as they are
 */

export const SCHEME = 'pda';

/** No key is longer, however it is encoded. */
const MAX_LINK_CHARS = 2_000;
const REQUEST = /^pda:\/\/request\/(?<key>[^?#]+)$/i;
/** As keys of Data Debits are on the wire: letters, digits and `-._~`, no empty or dot segments. */
const KEY = /^(?!\.{1,2}(?:\/|$))[\p{L}\p{N}\p{M}\-._~]+(?:\/(?!\.{1,2}(?:\/|$))[\p{L}\p{N}\p{M}\-._~]+)*$/u;
const MAX_KEY_CHARS = 200;
/** Pages of the dashboard beside which a key is a page of its own by a sign before it. */
const OTHER_PAGES: ReadonlySet<string> = new Set(['~', 'offers', 'contracts']);

export const HOME_PAGE = '/';
export const REQUESTS_PAGE = '/requests';
export const SHARING_PAGE = '/sharing';
export const BACKUP_PAGE = '/settings/backup';

/** The page of the dashboard (`/#<page>`) that a link opens. */
export function pageOfLink(link: string): string {
  const encoded = link.length > MAX_LINK_CHARS ? undefined : REQUEST.exec(link)?.groups?.['key'];
  if (encoded === undefined) return HOME_PAGE;
  const key = decoded(encoded);
  return key === undefined || key.length > MAX_KEY_CHARS || !KEY.test(key) ? HOME_PAGE : requestPage(key);
}

/** The preview of a request. */
export function requestPage(key: string): string {
  return pageOfKey(REQUESTS_PAGE, key);
}

/** What was agreed. */
export function sharingPage(key: string): string {
  return pageOfKey(SHARING_PAGE, key);
}

function pageOfKey(room: string, key: string): string {
  const [first = ''] = key.split('/');
  const before = OTHER_PAGES.has(first) ? '~/' : '';
  return `${room}/${before}${key.split('/').map(encodeURIComponent).join('/')}`;
}

/** The link among the arguments of a second start; the system puts it last. */
export function linkIn(argv: readonly string[]): string | undefined {
  return argv.findLast((argument) => /^pda:/i.test(argument));
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
