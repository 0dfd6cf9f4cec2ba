import type { PdaApi } from '../../../server/pda/pda.ts';
import { currentLanguage } from '../format/languages.ts';
import type { RouteDeclaration, RequestParts, RequestInput } from './contract.ts';
import { Problem, readProblem } from './problem.ts';
import { currentToken, endRefusedSession, renewToken, currentSessionNumber } from './session.ts';
import { urlOf } from './url.ts';

/** Codes of 401 errors that concern the password or second factor in the request. The session remains valid. */
const CREDENTIAL_ERRORS: ReadonlySet<string> = new Set(['invalid_credentials', 'second_factor_required']);

/**
 * Sends a request with the session token. Stores a renewed token; forgets the token if the session has ended. Use
 * `createCall` for JSON responses.
 *
 * @throws {Problem} if the server refuses the request or does not respond; if `init.signal` aborts, its abort error
 */
export async function fetchAuthorised(
  url: string,
  init: RequestInit & { headers?: Record<string, string> },
): Promise<Response> {
  const token = currentToken();
  const sessionOfRequest = currentSessionNumber();
  let response: Response;
  try {
    response = await fetch(url, {
      ...init,
      headers: {
        'accept-language': currentLanguage(),
        ...init.headers,
        ...(token === null ? {} : { 'x-auth-token': token }),
      },
    });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new Problem('unreachable', 0, '');
  }
  const renewedToken = response.headers.get('x-auth-token');
  if (renewedToken !== null && token !== null) renewToken(sessionOfRequest, renewedToken);
  if (!response.ok) {
    const problem = await readProblem(response);
    // Any other 401 means that the session has ended.
    if (response.status === 401 && !CREDENTIAL_ERRORS.has(problem.code)) endRefusedSession(sessionOfRequest);
    throw problem;
  }
  return response;
}

/** Sixteen consecutive digits. A double represents every shorter integer exactly. */
const LONG_INTEGER = /\d{16}/;

interface RawJson {
  rawJSON?: (text: string) => unknown;
}

/**
 * Parses integers outside the safe range as raw JSON, so that editing a record does not change their digits. Browsers
 * without `JSON.rawJSON` round them.
 */
function parseLosslessJson(text: string): unknown {
  const toRawJson = (JSON as RawJson).rawJSON;
  if (toRawJson === undefined || !LONG_INTEGER.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
    return /^-?\d{16,}$/.test(source) ? toRawJson(source) : value;
  });
}

async function send<Result>(route: string, parts: RequestParts, signal?: AbortSignal): Promise<Result> {
  const separatorIndex = route.indexOf(' ');
  const url = urlOf(route.slice(separatorIndex + 1), parts);
  const headers: Record<string, string> = { ...parts.headers };
  let body: BodyInit | undefined;
  if (parts.body instanceof Blob) {
    body = parts.body;
    headers['content-type'] = 'application/octet-stream';
  } else if (parts.body !== undefined) {
    body = JSON.stringify(parts.body);
    headers['content-type'] = 'application/json';
  }
  const response = await fetchAuthorised(url, {
    method: route.slice(0, separatorIndex),
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  try {
    return parseLosslessJson(text) as Result;
  } catch {
    throw new Problem('unreadable', response.status, '');
  }
}

/** Creates a request function for one server, typed by the server's routes. */
export const createCall =
  <Api extends Record<keyof Api, RouteDeclaration>>() =>
  <R extends keyof Api & string>(
    route: R,
    request: RequestInput<Api[R]>,
    signal?: AbortSignal,
  ): Promise<Api[R]['response']> =>
    send<Api[R]['response']>(route, request as RequestParts, signal);

/** Sends a request to the PDA: `call('GET /api/v2.6/owner', {})`. */
export const call = createCall<PdaApi>();
