import { ERROR_STATUS, errorBodySchema, type ErrorCode } from '../../../wire/errors.ts';
import type { Failure } from '../../failure.ts';
import type { RouteResponse, Route } from '../route.ts';

// Responses are validated in tests, because clients rely on the OpenAPI document.

/** Returns the codes that need no declaration: those of every route, and those that follow from access and input. */
const impliedErrors = (route: Route): ErrorCode[] => {
  const codes: ErrorCode[] = ['internal_error', 'unavailable', 'misdirected_request', 'rate_limited'];
  if (route.access.auth !== 'public' && route.identify === undefined) codes.push('not_authenticated');
  if (route.access.auth !== 'public' && route.access.auth !== 'token') codes.push('forbidden');
  if (route.params ?? route.query ?? route.headers ?? route.body) codes.push('invalid_input');
  if (route.body !== undefined) codes.push('too_large', 'unsupported_media_type');
  if (route.body?.as === 'json' || route.body?.as === 'json-text') codes.push('invalid_json');
  // Read requests need disk space for their access log entry.
  if (route.method !== 'GET' || route.access.auth !== 'public') codes.push('out_of_disk');
  if (route.beforeSetup !== true) codes.push('not_set_up');
  if (route.path !== '/healthz') codes.push('setup_only_local');
  return codes;
};

export const declaredErrors = (route: Route): ErrorCode[] => [
  ...new Set([...impliedErrors(route), ...(route.errors ?? [])]),
];

class UndeclaredResponse extends Error {}

/** @throws UndeclaredResponse if the route does not declare this failure */
export const validateFailure = (route: Route, failure: Failure): void => {
  const declaredCodes = declaredErrors(route);
  if (!declaredCodes.includes(failure.code)) {
    throw new UndeclaredResponse(
      `${route.method} ${route.path} does not declare ${failure.code} (${ERROR_STATUS[failure.code]})`,
    );
  }
  errorBodySchema.parse(failure.toBody('check'));
};

const checkBody = (route: Route, status: number, text: string): void => {
  const spec = route.responses[status];
  if (spec?.schema === undefined) return;
  const result = spec.schema.safeParse(JSON.parse(text));
  if (!result.success) {
    throw new UndeclaredResponse(
      `${route.method} ${route.path} ${status}: ${JSON.stringify(result.error.issues.slice(0, 3))}`,
    );
  }
};

/** Returns the response. A stream with a declared schema is buffered and validated. @throws UndeclaredResponse */
export const validateResponse = async (route: Route, response: RouteResponse): Promise<RouteResponse> => {
  if (route.responses[response.status] === undefined)
    throw new UndeclaredResponse(`${route.method} ${route.path} does not declare ${response.status}`);
  if (response.json !== undefined) checkBody(route, response.status, JSON.stringify(response.json));
  if (response.text !== undefined) checkBody(route, response.status, response.text.toString());
  if (response.stream === undefined || route.responses[response.status]?.schema === undefined) return response;
  const chunks: Buffer[] = [];
  for await (const chunk of response.stream) chunks.push(Buffer.from(chunk));
  const text = Buffer.concat(chunks);
  checkBody(route, response.status, text.toString());
  const { stream: _, ...rest } = response;
  return { ...rest, text };
};
