import { domainToUnicode } from 'node:url';
import type { Application } from '../../../../wire/applications.ts';
import { INVISIBLE } from '../../../../wire/display-text.ts';
import { MAX_URL_CHARS } from '../../../../wire/limits.ts';

/**
 * Where the journey of signing in to an application may end (decisions 3). The address in the request is anybody's text, and a token
 * follows it. So an address counts only when it is written in a form that every reader of addresses understands alike; it is compared part by
 * part; and what is gone to is put together from the parsed parts, never the text that came in.
 */

const INVISIBLE_CHARACTERS = new RegExp(INVISIBLE.source, 'gu');

/** An address that was understood. */
type Address = {
  /** As it is gone to. */
  text: string;
  /** Web addresses are compared part by part; those of an app on a phone (`myapp://…`) letter by letter. */
  web: boolean;
  protocol: string;
  host: string;
  port: string;
  path: string;
  /** With its question mark; empty when there is none. */
  query: string;
};

/** Schemes that run, read or show something instead of leading to the application. */
const NEVER = new Set([
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

/**
 * Spaces, control and invisible characters, halves of characters, and the backslash: parsers drop some of them and read others as
 * something else, and a person reads none of them.
 */
const UNSEEN = /[\p{C}\p{Z}\\]/u;
/** Scheme, optional authority, path, query. Rejects `#`: a token behind the fragment is not sent, and one before it is not read. */
const PARTS = /^([a-z][a-z0-9+.-]*:)(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?$/iu;
/** Host and port, without a user before them. */
const AUTHORITY = /^(\[[\da-f:.]+\]|[^:@%[\]]+)(?::([1-9]\d{0,4}))?$/iu;
/** `.` and `..`, also in disguise. */
const DOTS = /^(?:\.|%2e){1,2}$/iu;

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

/** The address in this text; undefined when it is none to which a token can be brought. */
const understand = (text: string): Address | undefined => {
  if (text.length > MAX_URL_CHARS || UNSEEN.test(text)) return undefined;
  const [, , authority, path = ''] = PARTS.exec(text) ?? [];
  const url = PARTS.test(text) ? URL.parse(text) : null;
  if (url === null || NEVER.has(url.protocol) || url.username !== '' || url.password !== '' || url.hash !== '') {
    return undefined;
  }
  const common = { protocol: url.protocol, port: url.port, path: url.pathname, query: url.search };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    return { ...common, text, web: false, host: url.hostname };
  }
  const [, host] = AUTHORITY.exec(authority ?? '') ?? [];
  if (host === undefined || url.hostname.endsWith('.') || path.split('/').some((part) => DOTS.test(part))) {
    return undefined;
  }
  // `0x7f.1`, `GOOD。example`: there are many ways to write a host. Lower and upper case, and the letters of an international name, are enough.
  const plain = host.toLowerCase();
  if (url.hostname !== plain && domainToUnicode(url.hostname) !== plain) return undefined;
  return { ...common, text: url.origin + url.pathname + url.search, web: true, host: url.hostname };
};

/** Programs on the owner's own machine listen where there is room: any port is theirs. */
const samePlace = (given: Address, registered: Address): boolean =>
  given.web &&
  registered.web &&
  given.protocol === registered.protocol &&
  given.host === registered.host &&
  (given.port === registered.port || LOOPBACK.has(registered.host));

const matches = (given: Address, registered: Address, queryMayGrow: boolean): boolean => {
  if (!given.web || !registered.web) return given.text === registered.text;
  if (!samePlace(given, registered) || given.path !== registered.path) return false;
  if (given.query === registered.query) return true;
  return queryMayGrow && given.query.startsWith(registered.query === '' ? '?' : `${registered.query}&`);
};

type Registered = { address: Address; queryMayGrow: boolean };

const registeredOf = ({ setup, kind }: Pick<Application, 'setup' | 'kind'>): Registered[] => {
  const exact = [setup.url, ...(setup.validRedirectUris ?? []), setup.iosUrl, setup.androidUrl];
  return [...exact.map((text) => ({ text, queryMayGrow: false })), { text: kind.url, queryMayGrow: true }].flatMap(
    ({ text, queryMayGrow }) => {
      const address = typeof text === 'string' && text !== '' ? understand(text) : undefined;
      return address === undefined ? [] : [{ address, queryMayGrow }];
    },
  );
};

export type Addresses = Pick<Application, 'setup' | 'kind'>;

/** Where its sign-in may return to. A registered address to which no token can be brought is not among them. */
export const returnAddresses = (application: Addresses): string[] => [
  ...new Set(registeredOf(application).map(({ address }) => address.text)),
];

/** The address to go to, when the application registered the given one; else undefined. */
export const mayReturnTo = (application: Addresses, redirect: string): string | undefined => {
  const given = understand(redirect);
  if (given === undefined) return undefined;
  const found = registeredOf(application).some(({ address, queryMayGrow }) => matches(given, address, queryMayGrow));
  return found ? given.text : undefined;
};

/** Returns the fallback URL if it is at the application's own origin. Failures are reported there; it never receives a token. */
export const mayFallBackTo = (application: Addresses, fallback: string): string | undefined => {
  const given = understand(fallback);
  if (given === undefined) return undefined;
  const found = registeredOf(application).some(
    ({ address }) => samePlace(given, address) || (!address.web && given.text === address.text),
  );
  return found ? given.text : undefined;
};

/** Name of one parameter as a server reads it. */
const nameOf = (parameter: string): string => {
  for (const [name] of new URLSearchParams(parameter)) return name.toLowerCase();
  return '';
};

/**
 * Appends query parameters and removes existing ones of the same name, so that a reader of the first one cannot be misled.
 * All other parameters stay byte-identical.
 */
export const withParameters = (address: string, added: Readonly<Record<string, string>>): string => {
  const mark = address.indexOf('?');
  const base = mark === -1 ? address : address.slice(0, mark);
  const before = mark === -1 ? [] : address.slice(mark + 1).split('&');
  const kept = before.filter((parameter) => parameter !== '' && !Object.hasOwn(added, nameOf(parameter)));
  const pairs = Object.entries(added).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${base}?${[...kept, ...pairs].join('&')}`;
};

/** `error` and `error_reason` as applications read them. */
export type LoginProblem =
  | 'application_misconfigured/redirect_is_required'
  | 'application_misconfigured/redirect_not_registered'
  | 'application_misconfigured/application_id_is_required'
  | 'application_misconfigured/application_id_not_found'
  | 'access_denied/user_cancelled';

/** Where to go when it did not work out: the fallback if it is the application's, else the address it wanted to return to, else nowhere. */
export const failureAddress = (
  application: Addresses,
  asked: { redirect: string | undefined; fallback: string | undefined },
  problem: LoginProblem,
): string | undefined => {
  const fallback = asked.fallback === undefined ? undefined : mayFallBackTo(application, asked.fallback);
  const to = fallback ?? (asked.redirect === undefined ? undefined : mayReturnTo(application, asked.redirect));
  const [error = '', reason = ''] = problem.split('/');
  return to === undefined ? undefined : withParameters(to, { error, error_reason: reason });
};

/** Escapes invisible characters, those that change the text direction included, as `\u{…}`, so that the owner sees what an address holds. */
export const visible = (text: string): string =>
  text
    .slice(0, MAX_URL_CHARS)
    .replaceAll(INVISIBLE_CHARACTERS, (character) => `\\u{${character.codePointAt(0)?.toString(16) ?? ''}}`);
