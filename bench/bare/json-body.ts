import { StringDecoder } from 'node:string_decoder';
import type { Context, Next } from 'koa';

declare module 'koa' {
  interface Request {
    body?: unknown;
  }
}

/**
 * Reads JSON bodies as the common parsers for Koa do: content type by `ctx.is`, length against a limit, chunks decoded as they
 * come, first character checked, JSON.parse, the result on `ctx.request.body`.
 */

const LIMIT_BYTES = 10_000_000;
const STRICT = /^[ \t\n\r]*[[{]/u;

const readText = (ctx: Context): Promise<string> =>
  new Promise((resolve, reject) => {
    const decoder = new StringDecoder('utf8');
    const { req } = ctx;
    let size = 0;
    let text = '';
    const done = (error?: Error): void => {
      req.off('data', onData).off('end', onEnd).off('error', done).off('close', onClose);
      if (error === undefined) resolve(text);
      else reject(error);
    };
    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > LIMIT_BYTES) done(new Error('too large'));
      else text += decoder.write(chunk);
    };
    const onEnd = (): void => {
      text += decoder.end();
      done();
    };
    const onClose = (): void => done(new Error('the caller went away'));
    req.on('data', onData).on('end', onEnd).on('error', done).on('close', onClose);
  });

export const jsonBody = () => async (ctx: Context, next: Next) => {
  if (ctx.request.body !== undefined || ctx.method === 'GET' || ctx.method === 'HEAD') return next();
  if (ctx.is('application/json', 'application/json-patch+json', 'application/csp-report') !== false) {
    if ((ctx.request.length ?? 0) > LIMIT_BYTES) ctx.throw(413);
    const text = await readText(ctx);
    if (!STRICT.test(text)) ctx.throw(400);
    ctx.request.body = JSON.parse(text) as unknown;
  }
  return next();
};
