export type Destination = 'inside' | 'system-browser' | 'blocked';

/** Windows truncates longer URLs, and a truncated URL could lead to a different page. */
const MAX_URL_CHARS = 2_000;

/**
 * Decides where a URL opens, for every navigation, new window and link. URLs of our own server open inside. `https`,
 * `http` and `mailto` open in the system's programs, except `http` on this computer, where local services trust any
 * local client, and `mailto` with parameters that may attach files. All other schemes (`file:`, `ms-msdt:`, …) are
 * blocked, because they could start a program with arguments from a page.
 * @param serverAddress `http://localhost:<port>`, null while the server is not running
 */
export function destinationOf(url: string, serverAddress: string | null): Destination {
  if (url.length > MAX_URL_CHARS) return 'blocked';
  const parsedUrl = URL.parse(url);
  // Credentials in a URL can disguise its host: https://your-bank@elsewhere.example.
  if (parsedUrl === null || parsedUrl.username !== '' || parsedUrl.password !== '') return 'blocked';
  if (isServerUrl(parsedUrl, serverAddress)) return 'inside';
  return mayOpenExternally(parsedUrl) ? 'system-browser' : 'blocked';
}

const SRCDOC_URL = 'about:srcdoc';

export function isFrameAllowed(url: string, serverAddress: string | null): boolean {
  return url === SRCDOC_URL || destinationOf(url, serverAddress) === 'inside';
}

/** Names of this computer. The URL parser has normalised numeric hosts. */
const THIS_COMPUTER =
  /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:(?:7f[\da-f]{2}:[\da-f]+|0:0)\])\.?$/;
/** Allowed parameters of mailto links. Some mail programs attach files that a link names. */
const MAILTO_PARAMETERS: ReadonlySet<string> = new Set(['subject', 'body', 'cc', 'bcc', 'to']);

function mayOpenExternally(url: URL): boolean {
  switch (url.protocol) {
    case 'https:':
      return true;
    case 'http:':
      return !THIS_COMPUTER.test(url.hostname);
    case 'mailto:':
      return [...url.searchParams.keys()].every((name) => MAILTO_PARAMETERS.has(name.toLowerCase()));
    default:
      return false;
  }
}

const LOCAL_SCHEMES: ReadonlySet<string> = new Set([
  'data:',
  'blob:',
  'about:',
  'devtools:',
  'chrome-extension:',
  'chrome:',
]);

export function isRequestAllowed(url: string, serverAddress: string | null): boolean {
  const parsedUrl = URL.parse(url);
  return parsedUrl !== null && (isServerUrl(parsedUrl, serverAddress) || LOCAL_SCHEMES.has(parsedUrl.protocol));
}

/** Allows only our own pages, and only to write to the clipboard. @param requester URL or origin of the page */
export function isPermissionAllowed(permission: string, requester: string, serverAddress: string | null): boolean {
  const parsedUrl = URL.parse(requester);
  return permission === 'clipboard-sanitized-write' && parsedUrl !== null && isServerUrl(parsedUrl, serverAddress);
}

function isServerUrl(url: URL, serverAddress: string | null): boolean {
  // The protocol is also checked, because blob:http://… has the origin of its creator.
  return serverAddress !== null && url.protocol === 'http:' && url.origin === serverAddress;
}
