import { text } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { publicAccess } from '../../../platform/auth/principal.ts';
import { Failure } from '../../../platform/failure.ts';
import { languageOf } from '../../../platform/http/request/accept-language.ts';
import { createRouteDeclarer, type Caller, type RouteResponse } from '../../../platform/http/route.ts';
import type { ErrorCode } from '../../../wire/errors.ts';
import { GUEST_PATH } from '../../../wire/guest-paths.ts';
import { MAX_PASSWORD_CHARS } from '../../../wire/limits.ts';
import { acceptsHtml, HTML_TYPE } from '../../core/public-page.ts';
import type { Guest, GuestAccounts } from './account.ts';
import { GUEST_PAGE_HEADERS, PASSKEY_PAGE_HEADERS, type FrameParts, type PageGuest } from './pages/frame.ts';
import type { SignInNotice } from './pages/entry.ts';
import { missingContentPage } from './pages/lists.ts';
import { csrfTokenFor, isCsrfToken, isFromOwnPage, RETRY_AFTER_SECONDS } from './rules.ts';

export const pageRequestHeaders = z.object({
  accept: z.string().optional(),
  'accept-language': z.string().optional(),
  'sec-fetch-site': z.string().optional(),
  origin: z.string().optional(),
});
export type PageHeaders = z.output<typeof pageRequestHeaders>;

/** Body of a form with at most three passwords. Percent-encoding takes up to nine bytes per character. */
export const formBody = {
  as: 'bytes',
  maxBytes: 3 * 9 * MAX_PASSWORD_CHARS + 2000,
  contentType: 'application/x-www-form-urlencoded',
} as const;

export const readForm = async (body: Readable): Promise<URLSearchParams> => new URLSearchParams(await text(body));

/** Returns a password from a form, truncated to one character more than the maximum, which is enough to refuse it. */
export const passwordOf = (form: URLSearchParams, name: string): string =>
  (form.get(name) ?? '').slice(0, MAX_PASSWORD_CHARS + 1);

export const redirect = (location: string, cookie?: string): RouteResponse => ({
  status: 303,
  headers: { location, ...(cookie === undefined ? {} : { 'set-cookie': cookie }) },
});

export const SIGN_IN_REDIRECT = { description: '`Location` is the sign-in page' };

export const signInPath = (notice?: SignInNotice): string =>
  `${GUEST_PATH}/sign-in${notice === undefined ? '' : `?notice=${notice}`}`;

const ERROR_CODES: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_input',
  401: 'invalid_credentials',
  403: 'forbidden',
  404: 'not_found',
  409: 'wrong_state',
  410: 'not_found',
  429: 'rate_limited',
};

/** Declares a public route: the token of a guest is in a cookie, which the authentication of the API ignores. */
export const pageRoute = createRouteDeclarer({
  tag: 'Pages of guests',
  access: publicAccess,
  headers: pageRequestHeaders,
  // Browsers receive a page instead, unless the request itself is invalid or an unexpected error occurs, such as a full
  // disk.
  errors: ['invalid_credentials', 'forbidden', 'not_found', 'wrong_state', 'out_of_disk'],
});

export type GuestRequest = { guest: Guest; caller: Caller; headers: PageHeaders };

export type GuestPages = ReturnType<typeof createGuestPages>;

export const createGuestPages = (parts: {
  accounts: Pick<GuestAccounts, 'find' | 'hasCookie'>;
  secret: () => Buffer;
  baseOf: (host: string) => string;
  publicHost: (host: string) => string;
}) => {
  const { accounts, secret, baseOf, publicHost } = parts;

  const toPageGuest = ({ name, sessionId }: Guest): PageGuest => ({
    name,
    csrfToken: csrfTokenFor(secret(), sessionId),
  });

  const frameOf = (caller: Caller, headers: PageHeaders, guest?: Guest): FrameParts => ({
    host: guest?.preview === undefined ? caller.host : publicHost(caller.host),
    language: languageOf(headers['accept-language']),
    guest: guest === undefined ? undefined : toPageGuest(guest),
    isPreview: guest?.preview !== undefined,
  });

  /**
   * Responds with an HTML page.
   * @param options `retryAfter`: seconds until a request that was refused with 429 can succeed
   * @throws Failure for an error status if the client does not accept HTML
   */
  const respond = (
    status: number,
    headers: PageHeaders,
    html: string,
    {
      hasPasskeyScript = false,
      cookie,
      retryAfter = RETRY_AFTER_SECONDS,
    }: { hasPasskeyScript?: boolean; cookie?: string | undefined; retryAfter?: number | undefined } = {},
  ): RouteResponse => {
    const retryHeaders: Record<string, string> = status === 429 ? { 'retry-after': String(retryAfter) } : {};
    if (status >= 400 && !acceptsHtml(headers.accept))
      throw new Failure(ERROR_CODES[status] ?? 'invalid_input', 'This page is for browsers. Nothing was changed.', {
        headers: retryHeaders,
      });
    return {
      status,
      text: html,
      contentType: HTML_TYPE,
      base: hasPasskeyScript ? PASSKEY_PAGE_HEADERS : GUEST_PAGE_HEADERS,
      headers: { ...retryHeaders, ...(cookie === undefined ? {} : { 'set-cookie': cookie }) },
    };
  };

  return {
    frameOf,
    toPageGuest,
    respond,

    respondMissing: (
      kind: Parameters<typeof missingContentPage>[1],
      { guest, caller, headers }: GuestRequest,
    ): RouteResponse => respond(404, headers, missingContentPage(frameOf(caller, headers, guest), kind)),

    isFromOwnPage: (caller: Caller, headers: PageHeaders): boolean => isFromOwnPage(headers, baseOf(caller.host)),

    isOwnForm: (guest: Guest, form: URLSearchParams, caller: Caller, headers: PageHeaders): boolean =>
      isFromOwnPage(headers, baseOf(caller.host)) && isCsrfToken(secret(), guest.sessionId, form.get('form') ?? ''),

    async withGuest(
      caller: Caller,
      work: (guest: Guest) => RouteResponse | Promise<RouteResponse>,
    ): Promise<RouteResponse> {
      const guest = await accounts.find(caller);
      if (guest === undefined) return redirect(signInPath(accounts.hasCookie(caller) ? 'ended' : undefined));
      return work(guest);
    },
  };
};
