import { pipeline } from 'node:stream/promises';
import type { Failure } from '../../failure.ts';
import { closeAfterUnreadBody } from './lingering-close.ts';
import type { RouteResponse } from '../route.ts';
import { API_HEADERS, type BaseHeaders } from './security-headers.ts';
import type { HttpContext } from '../context.ts';

const JSON_TYPE = 'application/json; charset=utf-8';

export const setBaseHeaders = (ctx: HttpContext, base: BaseHeaders): void => {
  for (const name of API_HEADERS.keys()) ctx.remove(name);
  ctx.res.setHeaders(base);
};

/** Writes a stream to the socket. Koa's own piping neither waits for the end nor reports a failing source. */
const respondWithStream = async (ctx: HttpContext, stream: NonNullable<RouteResponse['stream']>): Promise<void> => {
  ctx.respond = false;
  const { res } = ctx;
  // After this call, an error can only break the connection. The access log already contains the request.
  res.writeHead(ctx.status);
  if (ctx.method === 'HEAD') res.end();
  else await pipeline(stream, res);
};

/** Returns the response with its JSON value as text, so that the value is serialised only once. */
export const serializeJson = (response: RouteResponse): RouteResponse => {
  const { json, ...rest } = response;
  return json === undefined ? response : { ...rest, text: JSON.stringify(json) };
};

/** Resolves when a stream has been written; Koa writes any other body afterwards. */
export const respond = async (
  ctx: HttpContext,
  response: RouteResponse,
  renewedToken: string | undefined,
): Promise<void> => {
  closeAfterUnreadBody(ctx.req, ctx.res);
  ctx.status = response.status;
  if (response.base !== undefined) setBaseHeaders(ctx, response.base);
  // A response with its own token, such as a sign-in, carries only that token.
  const hasToken = response.headers?.['x-auth-token'] !== undefined;
  const mayRenew = response.base === undefined && response.endsSession !== true;
  if (renewedToken !== undefined && !hasToken && mayRenew) ctx.set('x-auth-token', renewedToken);
  if (response.headers !== undefined) ctx.set(response.headers);

  if (response.stream !== undefined) {
    ctx.set('content-type', response.contentType ?? JSON_TYPE);
    await respondWithStream(ctx, response.stream);
    return;
  }
  const { text: body } = serializeJson(response);
  if (body === undefined) {
    if (response.status !== 304) {
      ctx.body = '';
      ctx.remove('content-type');
    }
    return;
  }
  ctx.set('content-type', response.contentType ?? JSON_TYPE);
  ctx.body = body;
};

export const respondWithFailure = (ctx: HttpContext, failure: Failure, token?: string): Promise<void> => {
  const json = failure.toBody(ctx.state.requestId);
  return respond(ctx, { status: failure.status, json, headers: failure.headers }, token);
};
