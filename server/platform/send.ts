import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Failure } from './failure.ts';
import { PooledOutlet, PooledReadable } from './pooled-stream.ts';
import type { Answer } from './route.ts';
import { API_HEADERS } from './security-headers.ts';

/** Milliseconds in which a caller can still read a refusal while its body is thrown away. */
const UNREAD_MS = 2000;

const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * Writes an answer. All headers go out in one flat list: the fixed ones were put together at start, so an answer costs one
 * copy instead of a dozen look-ups.
 */
export const send = async (
  response: ServerResponse,
  answer: Answer,
  renewedToken: string | undefined,
): Promise<void> => {
  const headers = [...(answer.base ?? API_HEADERS)];
  // An answer that brings a token of its own (a sign-in) carries that one only: two would be read as one that is no good.
  const ownToken = answer.headers?.['x-auth-token'] !== undefined;
  const mayRenew = answer.base === undefined && answer.endsSession !== true;
  if (renewedToken !== undefined && !ownToken && mayRenew) headers.push('x-auth-token', renewedToken);
  if (answer.headers !== undefined) {
    for (const [name, value] of Object.entries(answer.headers)) headers.push(name, value);
  }

  if (answer.stream !== undefined) {
    headers.push('content-type', answer.contentType ?? JSON_TYPE);
    response.writeHead(answer.status, headers);
    if (response.req.method === 'HEAD') response.end();
    else {
      const { stream } = answer;
      if (stream instanceof PooledReadable) await pipeline(stream, new PooledOutlet(response, stream));
      else if (stream instanceof Readable) await pipeline(stream, response);
      else await pipeline(Readable.from(stream, { objectMode: false }), response);
    }
    return;
  }

  const body = answer.text ?? (answer.json === undefined ? undefined : JSON.stringify(answer.json));
  if (body === undefined) {
    if (answer.status !== 304) headers.push('content-length', '0');
    response.writeHead(answer.status, headers);
    response.end();
    return;
  }
  const bytes = Buffer.byteLength(body);
  headers.push('content-type', answer.contentType ?? JSON_TYPE, 'content-length', String(bytes));
  response.writeHead(answer.status, headers);
  // As many bytes as characters: all of them are ASCII, which Latin-1 writes without a look at each.
  if (typeof body === 'string' && bytes === body.length) response.end(body, 'latin1');
  else response.end(body);
};

export const sendFailure = (
  response: ServerResponse,
  failure: Failure,
  requestId: string,
  token?: string,
): Promise<void> => {
  // Nobody will read the rest of this body. A caller that drips bytes must not hold the line for it.
  const giveUp = (): void => {
    if (!response.req.complete) response.req.destroy();
  };
  if (!response.req.complete) response.once('finish', () => setTimeout(giveUp, UNREAD_MS).unref());
  return send(response, { status: failure.status, json: failure.toBody(requestId), headers: failure.headers }, token);
};
