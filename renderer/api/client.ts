import type { PdaApi } from '../../server/pda/pda.ts';
import { shownLanguage } from '../messages/languages.ts';
import type { Declared, RequestParts, RequestTo } from './contract.ts';
import { Problem, problemOf } from './problem.ts';
import { currentToken, forgetToken, renew, signInNumber } from './session.ts';

/** `:name` becomes its parameter; slashes stay in `*name`, as endpoints have them. */
function fill(path: string, params: Record<string, string>): string {
  return path.replaceAll(/([:*])(\w+)/g, (_, kind: string, name: string) => {
    const value = params[name] ?? '';
    return kind === ':' ? encodeURIComponent(value) : value.split('/').map(encodeURIComponent).join('/');
  });
}

function queryString(query: Record<string, string | number | undefined>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') pairs.set(name, String(value));
  }
  const text = pairs.toString();
  return text === '' ? '' : `?${text}`;
}

const ANSWERS: ReadonlySet<string> = new Set(['invalid_credentials', 'second_factor_required']);

/** fetch with the token, taking over the renewed one. Used as it is only by streams. */
export async function authorised(
  url: string,
  init: RequestInit & { headers?: Record<string, string> },
): Promise<Response> {
  const token = currentToken();
  const signIn = signInNumber();
  let response: Response;
  try {
    response = await fetch(url, {
      ...init,
      headers: {
        'accept-language': shownLanguage(),
        ...init.headers,
        ...(token === null ? {} : { 'x-auth-token': token }),
      },
    });
  } catch (error) {
    if (init.signal?.aborted === true) throw error;
    throw new Problem('unreachable', 0, '');
  }
  const renewed = response.headers.get('x-auth-token');
  if (renewed !== null && token !== null) renew(signIn, renewed);
  if (!response.ok) {
    const problem = await problemOf(response);
    // A wrong or missing proof is an answer; anything else means that this session is over.
    if (response.status === 401 && !ANSWERS.has(problem.code) && signIn === signInNumber()) forgetToken();
    throw problem;
  }
  return response;
}

const LONG_NUMBER = /\d{16}/;

interface RawJson {
  rawJSON?: (text: string) => unknown;
}

/** JSON as the PDA holds it: a number that a double cannot carry keeps its digits, so that an edit does not change it. */
export function parseExact(text: string): unknown {
  const raw = (JSON as RawJson).rawJSON;
  if (raw === undefined || !LONG_NUMBER.test(text)) return JSON.parse(text);
  return JSON.parse(text, (_key, value: unknown, context?: { source?: string }) => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || Number.isSafeInteger(value)) return value;
    return /^-?\d{16,}$/.test(source) ? raw(source) : value;
  });
}

async function answerOf<Answer>(route: string, parts: RequestParts, signal?: AbortSignal): Promise<Answer> {
  const space = route.indexOf(' ');
  const url = fill(route.slice(space + 1), parts.params ?? {}) + queryString(parts.query ?? {});
  const headers: Record<string, string> = { ...parts.headers };
  let body: BodyInit | undefined;
  if (parts.body instanceof Blob) {
    body = parts.body;
    headers['content-type'] = 'application/octet-stream';
  } else if (parts.body !== undefined) {
    body = JSON.stringify(parts.body);
    headers['content-type'] = 'application/json';
  }
  const response = await authorised(url, {
    method: route.slice(0, space),
    headers,
    ...(body === undefined ? {} : { body }),
    ...(signal === undefined ? {} : { signal }),
  });
  const text = await response.text();
  try {
    return parseExact(text) as Answer;
  } catch {
    throw new Problem('unreadable', response.status, '');
  }
}

/** Calls of one server, typed by its routes. */
export const callsOf =
  <Api extends Record<keyof Api, Declared>>() =>
  <R extends keyof Api & string>(
    route: R,
    request: RequestTo<Api[R]>,
    signal?: AbortSignal,
  ): Promise<Api[R]['response']> =>
    answerOf<Api[R]['response']>(route, request as RequestParts, signal);

/** One call of the PDA: `call('GET /api/v2.6/owner', {})`. */
export const call = callsOf<PdaApi>();
