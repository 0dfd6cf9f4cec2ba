import { dataDebitPath } from '../../server/wire/dashboard-paths.ts';

// `pda://` links open a page of the dashboard and do nothing else, because any web page can make the system open such a
// link. Unknown and invalid links open the home page. Supported links:
//
//   pda://open                    the home page
//   pda://request/<key>           the preview of a request; the key is percent-encoded except for slashes

export const SCHEME = 'pda';

/** Long enough for every encoded key. */
const MAX_LINK_CHARS = 2_000;
const REQUEST_LINK = /^pda:\/\/request\/(?<key>[^?#]+)$/i;
/** Keys that a link may contain: segments of letters, digits, marks and `-._~`, but no empty or dot segments. */
const DATA_DEBIT_KEY = /^(?!\.{1,2}(?:\/|$))[\p{L}\p{N}\p{M}\-._~]+(?:\/(?!\.{1,2}(?:\/|$))[\p{L}\p{N}\p{M}\-._~]+)*$/u;
const MAX_KEY_CHARS = 200;

export const HOME_PAGE = '/';
export const REQUESTS_PAGE = '/requests';
export const SHARING_PAGE = '/sharing';
export const BACKUP_PAGE = '/settings/backup';

/** Returns the dashboard page (`/#<page>`) that a link opens. */
export function pageOfLink(link: string): string {
  const encodedKey = link.length > MAX_LINK_CHARS ? undefined : REQUEST_LINK.exec(link)?.groups?.['key'];
  if (encodedKey === undefined) return HOME_PAGE;
  const key = decodeComponent(encodedKey);
  return key === undefined || key.length > MAX_KEY_CHARS || !DATA_DEBIT_KEY.test(key) ? HOME_PAGE : requestPage(key);
}

export function requestPage(key: string): string {
  return dataDebitPath(REQUESTS_PAGE, key);
}

export function sharingPage(key: string): string {
  return dataDebitPath(SHARING_PAGE, key);
}

/** Returns the last `pda:` link of the arguments, if any. The system appends the link when it starts the app. */
export function findLink(argv: readonly string[]): string | undefined {
  return argv.findLast((argument) => /^pda:/i.test(argument));
}

function decodeComponent(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
