import type { IncomingMessage } from 'node:http';
import { Failure } from './failure.ts';

/** Milliseconds that a JSON body may take to arrive: a caller that drips bytes must not hold a place for ever. */
const BODY_DEADLINE_MS = 60_000;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/iu;

/** Whether a request says that nothing comes after its headers. */
export const isWithoutBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** Refuses a body that does not say it is JSON. */
export const requireJson = (request: IncomingMessage): void => {
  const type = request.headers['content-type'];
  if (type === undefined || !JSON_TYPE.test(type)) {
    throw new Failure('unsupported_media_type', 'Send the body as application/json.');
  }
  const charset = /charset=\s*"?([\w-]+)/iu.exec(type)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8' && charset.toLowerCase() !== 'utf8') {
    throw new Failure('unsupported_media_type', 'Send JSON in UTF-8.');
  }
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new Failure('unsupported_media_type', 'Send the body without content encoding.');
  }
};

/** Whether a body may be larger than that: by its own account, or because it gives none. */
export const isLargerThan = ({ headers }: IncomingMessage, bytes: number): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > bytes;

export const refuseLargerThan = (request: IncomingMessage, maxBytes: number): void => {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > maxBytes) throw tooLarge(maxBytes);
};

const tooLarge = (maxBytes: number): Failure =>
  new Failure('too_large', `The body is larger than ${maxBytes} bytes. Nothing was stored.`, {
    headers: { connection: 'close' },
  });

/** Reads a whole body of at most `maxBytes`. Listeners rather than an async iterator: this is the hottest path there is. */
export const readBody = (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  refuseLargerThan(request, maxBytes);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const timer = setTimeout(() => {
      finish(new Failure('invalid_input', 'The body did not arrive in time.', { headers: { connection: 'close' } }));
    }, BODY_DEADLINE_MS);

    const onData = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) finish(tooLarge(maxBytes));
      else chunks.push(chunk);
    };
    const onEnd = (): void => finish();
    const onGone = (): void =>
      finish(new Failure('invalid_input', 'The caller went away before the body was complete.'));

    const finish = (failure?: Failure): void => {
      clearTimeout(timer);
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('error', onGone);
      request.off('close', onGone);
      if (failure === undefined) {
        resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks, size));
      } else {
        request.resume();
        reject(failure);
      }
    };

    request.on('data', onData);
    request.on('end', onEnd);
    request.on('error', onGone);
    request.on('close', onGone);
  });
};
