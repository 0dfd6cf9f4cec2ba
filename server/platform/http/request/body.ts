import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { Failure } from '../../failure.ts';

const BODY_DEADLINE_MS = 60_000;

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\s*(?:;.*)?$/iu;

export const isWithoutBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;

/** @throws Failure unsupported_media_type unless the body is declared as JSON in UTF-8 without content encoding */
export const requireJson = (request: IncomingMessage): void => {
  const type = request.headers['content-type'];
  if (type === undefined || !JSON_TYPE.test(type))
    throw new Failure('unsupported_media_type', 'Send the body as application/json.');
  const charset = /charset=\s*"?([\w-]+)/iu.exec(type)?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8' && charset.toLowerCase() !== 'utf8')
    throw new Failure('unsupported_media_type', 'Send JSON in UTF-8.');
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    throw new Failure('unsupported_media_type', 'Send the body without content encoding.');
};

export const mayExceed = ({ headers }: IncomingMessage, bytes: number): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > bytes;

export const refuseLargerThan = (request: IncomingMessage, maxBytes: number): void => {
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > maxBytes) throw tooLargeFailure(maxBytes);
};

const tooLargeFailure = (maxBytes: number): Failure =>
  new Failure('too_large', `The body is larger than ${maxBytes} bytes. Nothing was stored.`, {
    headers: { connection: 'close' },
  });

const failureOfBody = (error: unknown, maxBytes: number): Failure | undefined => {
  switch ((error as { type?: string }).type) {
    case 'entity.too.large':
      return tooLargeFailure(maxBytes);
    case 'request.aborted':
    case 'request.size.invalid':
      return new Failure('invalid_input', 'The connection was closed before the body was complete.');
    default:
      return undefined;
  }
};

/** @throws Failure too_large, or invalid_input if the body is incomplete or does not arrive within a minute */
export const readBody = async (request: IncomingMessage, maxBytes: number): Promise<Buffer> => {
  refuseLargerThan(request, maxBytes);
  const length = request.headers['content-length'];
  const deadline = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    deadline.reject(
      new Failure('invalid_input', 'The body did not arrive in time.', { headers: { connection: 'close' } }),
    );
  }, BODY_DEADLINE_MS);
  const content = getRawBody(request, { limit: maxBytes, ...(length === undefined ? {} : { length }) });
  try {
    return await Promise.race([content, deadline.promise]);
  } catch (error) {
    // Discard the bytes that still arrive, and ignore a later error of `getRawBody`.
    content.catch(() => undefined);
    request.resume();
    throw failureOfBody(error, maxBytes) ?? error;
  } finally {
    clearTimeout(timer);
  }
};
