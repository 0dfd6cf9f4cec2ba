import { domainToUnicode } from 'node:url';
import type { Application } from '../../../../wire/applications.ts';
import { INVISIBLE_CHARACTER } from '../../../../wire/display-text.ts';
import { MAX_URL_CHARS } from '../../../../wire/limits.ts';

// Redirect rules of the sign-in to an application (docs/decisions.md, section 3). A request's redirect URL is untrusted
// and receives a token. It is accepted only if all URL parsers interpret it in the same way. A web URL is compared with
// the registered URLs component by component, and the redirect uses a URL that is rebuilt from the components.

const INVISIBLE_CHARACTERS = new RegExp(INVISIBLE_CHARACTER.source, 'gu');

type ParsedUrl = {
  text: string;
  /** False for URLs of mobile apps (`myapp://…`), which are compared as strings. */
  isWeb: boolean;
  protocol: string;
  host: string;
  port: string;
  path: string;
  /** Includes the question mark; empty if there is no query. */
  query: string;
};

/** Schemes that do not belong to one application: they run, read or send content, or open any application. */
const FORBIDDEN_SCHEMES = new Set([
  'about:',
  'blob:',
  'chrome:',
  'content:',
  'data:',
  'file:',
  'filesystem:',
  'ftp:',
  'intent:',
  'jar:',
  'javascript:',
  'mailto:',
  'resource:',
  'vbscript:',
  'view-source:',
  'ws:',
  'wss:',
]);

/** Parsers drop some of these characters and disagree on others, and users cannot see most of them. */
const AMBIGUOUS_CHARACTERS = /[\p{C}\p{Z}\\]/u;
/** URLs with a fragment do not match, because servers do not receive fragments. */
const URL_PARTS = /^([a-z][a-z0-9+.-]*:)(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?$/iu;
/** Host and port, without user information. */
const AUTHORITY = /^(\[[\da-f:.]+\]|[^:@%[\]]+)(?::([1-9]\d{0,4}))?$/iu;
/** Dots can be percent-encoded. */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/iu;

const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Returns undefined if a token must not be sent to the URL. */
const parseRedirect = (text: string): ParsedUrl | undefined => {
  if (text.length > MAX_URL_CHARS || AMBIGUOUS_CHARACTERS.test(text)) return undefined;
  const [, , authority, path = ''] = URL_PARTS.exec(text) ?? [];
  const url = URL_PARTS.test(text) ? URL.parse(text) : null;
  if (
    url === null ||
    FORBIDDEN_SCHEMES.has(url.protocol) ||
    url.username !== '' ||
    url.password !== '' ||
    url.hash !== ''
  ) {
    return undefined;
  }
  const common = { protocol: url.protocol, port: url.port, path: url.pathname, query: url.search };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { ...common, text, isWeb: false, host: url.hostname };
  }
  const [, host] = AUTHORITY.exec(authority ?? '') ?? [];
  if (host === undefined || url.hostname.endsWith('.') || path.split('/').some((name) => DOT_SEGMENT.test(name))) {
    return undefined;
  }
  // Hosts have many spellings, such as `0x7f.1` or `GOOD。example`. Only case and the Unicode form of an international
  // name may differ.
  const lowerCaseHost = host.toLowerCase();
  if (url.hostname !== lowerCaseHost && domainToUnicode(url.hostname) !== lowerCaseHost) return undefined;
  return { ...common, text: url.origin + url.pathname + url.search, isWeb: true, host: url.hostname };
};

/** Ignores the port of loopback hosts, because local programs choose a free port. */
const isSameOrigin = (requestedUrl: ParsedUrl, registeredUrl: ParsedUrl): boolean =>
  requestedUrl.isWeb &&
  registeredUrl.isWeb &&
  requestedUrl.protocol === registeredUrl.protocol &&
  requestedUrl.host === registeredUrl.host &&
  (requestedUrl.port === registeredUrl.port || LOOPBACK_HOSTS.has(registeredUrl.host));

const matches = (requestedUrl: ParsedUrl, registeredUrl: ParsedUrl, queryMayGrow: boolean): boolean => {
  if (!requestedUrl.isWeb || !registeredUrl.isWeb) return requestedUrl.text === registeredUrl.text;
  if (!isSameOrigin(requestedUrl, registeredUrl) || requestedUrl.path !== registeredUrl.path) return false;
  if (requestedUrl.query === registeredUrl.query) return true;
  return queryMayGrow && requestedUrl.query.startsWith(registeredUrl.query === '' ? '?' : `${registeredUrl.query}&`);
};

export type ApplicationUrls = Pick<Application, 'setup' | 'kind'>;

type RegisteredUrl = { url: ParsedUrl; queryMayGrow: boolean };

const registeredUrlsOf = ({ setup, kind }: ApplicationUrls): RegisteredUrl[] => {
  const exactUrls = [setup.url, ...(setup.validRedirectUris ?? []), setup.iosUrl, setup.androidUrl];
  return [...exactUrls.map((text) => ({ text, queryMayGrow: false })), { text: kind.url, queryMayGrow: true }].flatMap(
    ({ text, queryMayGrow }) => {
      const url = typeof text === 'string' && text !== '' ? parseRedirect(text) : undefined;
      return url === undefined ? [] : [{ url, queryMayGrow }];
    },
  );
};

/** Omits registered URLs to which a token must not be sent. */
export const redirectUrlsOf = (application: ApplicationUrls): string[] => [
  ...new Set(registeredUrlsOf(application).map(({ url }) => url.text)),
];

/** Returns the normalised redirect URL if the application has registered it, otherwise undefined. */
export const allowedRedirect = (application: ApplicationUrls, redirect: string): string | undefined => {
  const requestedUrl = parseRedirect(redirect);
  if (requestedUrl === undefined) return undefined;
  const isAllowed = registeredUrlsOf(application).some(({ url, queryMayGrow }) =>
    matches(requestedUrl, url, queryMayGrow),
  );
  return isAllowed ? requestedUrl.text : undefined;
};

/**
 * Returns the normalised fallback URL if it is allowed. It never receives a token, so any URL at a registered web
 * origin is allowed, and a registered URL of a mobile app.
 */
export const allowedFallback = (application: ApplicationUrls, fallback: string): string | undefined => {
  const requestedUrl = parseRedirect(fallback);
  if (requestedUrl === undefined) return undefined;
  const isAllowed = registeredUrlsOf(application).some(
    ({ url }) => isSameOrigin(requestedUrl, url) || (!url.isWeb && requestedUrl.text === url.text),
  );
  return isAllowed ? requestedUrl.text : undefined;
};

const nameOf = (parameter: string): string => {
  for (const [name] of new URLSearchParams(parameter)) return name.toLowerCase();
  return '';
};

/**
 * Adds query parameters to a URL. Removes existing parameters with these names, regardless of case, so that no client
 * reads an old value. Other parameters stay unchanged.
 */
export const addParameters = (url: string, newParameters: Readonly<Record<string, string>>): string => {
  const queryStart = url.indexOf('?');
  const base = queryStart === -1 ? url : url.slice(0, queryStart);
  const existing = queryStart === -1 ? [] : url.slice(queryStart + 1).split('&');
  const remaining = existing.filter(
    (parameter) => parameter !== '' && !Object.hasOwn(newParameters, nameOf(parameter)),
  );
  const pairs = Object.entries(newParameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${base}?${[...remaining, ...pairs].join('&')}`;
};

/** The parameters `error` and `error_reason` of the redirect, separated by a slash. */
export type LoginProblem =
  | 'application_misconfigured/redirect_is_required'
  | 'application_misconfigured/redirect_not_registered'
  | 'application_misconfigured/application_id_is_required'
  | 'application_misconfigured/application_id_not_found'
  | 'access_denied/user_cancelled';

/**
 * Returns the URL that reports the problem: the fallback URL, otherwise the redirect URL; undefined if neither is
 * allowed.
 */
export const failureUrlOf = (
  application: ApplicationUrls,
  parameters: { redirect: string | undefined; fallback: string | undefined },
  problem: LoginProblem,
): string | undefined => {
  const fallback = parameters.fallback === undefined ? undefined : allowedFallback(application, parameters.fallback);
  const target =
    fallback ?? (parameters.redirect === undefined ? undefined : allowedRedirect(application, parameters.redirect));
  const [error = '', reason = ''] = problem.split('/');
  return target === undefined ? undefined : addParameters(target, { error, error_reason: reason });
};

/** Truncates the text to `MAX_URL_CHARS` and writes its invisible characters as `\u{…}`. */
export const escapeInvisible = (text: string): string =>
  text
    .slice(0, MAX_URL_CHARS)
    .replaceAll(INVISIBLE_CHARACTERS, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
