import type { ErrorBody } from '../../../server/wire/errors.ts';
import { messageOf } from '../../../server/wire/values.ts';

/** Error code of the server; `unreachable` if there was no response; `unreadable` for any other response or error. */
type ProblemCode = ErrorBody['error'] | 'unreachable' | 'unreadable';

/** Failed request: refused by the server, or without a readable response. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly details: { path: string; problem: string }[];
  readonly requestId: string | undefined;
  /** In seconds. */
  readonly retryAfter: number | undefined;
  /** Language tag of the message and the details. */
  readonly language: string;

  constructor(
    code: ProblemCode,
    status: number,
    message: string,
    options: {
      details?: { path: string; problem: string }[];
      requestId?: string;
      retryAfter?: number;
      language?: string;
    } = {},
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.details = options.details ?? [];
    this.requestId = options.requestId;
    this.retryAfter = options.retryAfter;
    this.language = options.language ?? 'en';
  }
}

function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && 'error' in value && 'cause' in value && 'requestId' in value;
}

/** Reads the error in a response. Returns an `unreadable` problem for other content, such as a page of a proxy. */
export async function readProblem(response: Response): Promise<Problem> {
  const seconds = Number(response.headers.get('retry-after'));
  const retryAfter = Number.isFinite(seconds) && seconds > 0 ? { retryAfter: seconds } : {};
  try {
    const body: unknown = JSON.parse(await response.text());
    if (isErrorBody(body)) {
      return new Problem(body.error, response.status, body.cause, {
        ...(body.details === undefined ? {} : { details: body.details }),
        requestId: body.requestId,
        language: response.headers.get('content-language') ?? 'en',
        ...retryAfter,
      });
    }
  } catch {
    // The content is not JSON, or the connection was lost.
  }
  return new Problem('unreadable', response.status, '', retryAfter);
}

/** Returns a Problem unchanged, and an `unreadable` Problem for any other thrown value. */
export function toProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('unreadable', 0, messageOf(error));
}

/**
 * Returns true if the item in the page's URL does not exist: the server responded with 404, or refused the id (400 with
 * details about `path.…`, as from `z.uuid()`).
 */
export function isNotFound(error: unknown): boolean {
  const { status, code, details } = toProblem(error);
  if (status === 404) return true;
  return code === 'invalid_input' && details.length > 0 && details.every(({ path }) => path.startsWith('path.'));
}
