import type { Socket } from 'node:net';
import Koa from 'koa';
import { Failure } from '../failure.ts';
import { failureOf } from '../io/file-system.ts';
import type { Log } from '../log.ts';
import { ANONYMOUS } from '../auth/principal.ts';
import { nextRequestId } from './request/id.ts';
import { API_HEADERS } from './response/security-headers.ts';
import type { HttpMiddleware, HttpState } from './context.ts';
import { respondWithFailure, setBaseHeaders } from './response/writer.ts';

export const createBasePipeline = (log: Log): Koa<HttpState> => {
  const closingSockets = new WeakSet<Socket>();

  const requestId: HttpMiddleware = async function requestId(ctx, next) {
    // Ignore requests that were pipelined behind a response that closes the connection.
    if (closingSockets.has(ctx.req.socket) || !ctx.req.socket.writable) {
      ctx.respond = false;
      return;
    }
    ctx.state.requestId = nextRequestId();
    ctx.state.principal = ANONYMOUS;
    await next();
    if (log.isLevelEnabled('debug'))
      log.debug({ requestId: ctx.state.requestId, method: ctx.method, status: ctx.status }, 'request');
  };

  const errors: HttpMiddleware = async function errors(ctx, next) {
    try {
      await next();
    } catch (error) {
      const { requestId: id } = ctx.state;
      if (ctx.headerSent) {
        // The response has begun: only a closed connection tells the client that it is incomplete.
        if (!ctx.req.socket.destroyed) log.error({ requestId: id, err: error }, 'a response was aborted');
        ctx.respond = false;
        ctx.res.destroy();
        return;
      }
      if (!(error instanceof Failure))
        log.error({ requestId: id, method: ctx.method, err: error }, 'unexpected failure');
      const failure = failureOf(error);
      if (failure.headers['connection'] === 'close') closingSockets.add(ctx.req.socket);
      ctx.respond = true;
      setBaseHeaders(ctx, API_HEADERS);
      await respondWithFailure(ctx, failure);
    }
  };

  const securityHeaders: HttpMiddleware = async function securityHeaders(ctx, next) {
    ctx.res.setHeaders(API_HEADERS);
    await next();
  };

  const application = new Koa<HttpState>();
  application.use(requestId).use(errors).use(securityHeaders);
  // Only for connections that break while Koa writes to them; `errors` handles all other errors.
  application.on('error', (error: unknown) => log.debug({ err: error }, 'the client disconnected during the response'));
  return application;
};
