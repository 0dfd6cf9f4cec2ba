import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Answer } from './route.ts';
import { API_HEADERS } from './security-headers.ts';

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
  const headers = [...API_HEADERS];
  // An answer that brings a token of its own (a sign-in) carries that one only: two would be read as one that is no good.
  const ownToken = answer.headers?.['x-auth-token'] !== undefined;
  if (renewedToken !== undefined && !ownToken && answer.endsSession !== true)
    headers.push('x-auth-token', renewedToken);
  if (answer.headers !== undefined) {
    for (const [name, value] of Object.entries(answer.headers)) headers.push(name, value);
  }

  if (answer.stream !== undefined) {
    headers.push('content-type', answer.contentType ?? JSON_TYPE);
    response.writeHead(answer.status, headers);
    if (response.req.method === 'HEAD') response.end();
    else await pipeline(Readable.from(answer.stream, { objectMode: false }), response);
    return;
  }

  const body = answer.text ?? (answer.json === undefined ? undefined : JSON.stringify(answer.json));
  if (body === undefined) {
    headers.push('content-length', '0');
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
