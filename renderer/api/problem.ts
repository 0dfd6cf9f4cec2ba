import type { ErrorBody } from '../../server/wire/errors.ts';

type Code = ErrorBody['error'] | 'unreachable' | 'unreadable';

/** A call that did not give what was asked for: refused by the PDA, or never answered. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: Code;
  readonly status: number;
  readonly details: { path: string; problem: string }[];
  readonly requestId: string | undefined;
  /** Seconds to wait before trying again. */
  readonly retryAfter: number | undefined;
  /** Language of the message and the details. */
  readonly language: string;

  constructor(
    code: Code,
    status: number,
    cause: string,
    more: {
      details?: { path: string; problem: string }[];
      requestId?: string;
      retryAfter?: number;
      language?: string;
    } = {},
  ) {
    super(cause);
    this.code = code;
    this.status = status;
    this.details = more.details ?? [];
    this.requestId = more.requestId;
    this.retryAfter = more.retryAfter;
    this.language = more.language ?? 'en';
  }
}

function isErrorBody(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && 'error' in value && 'cause' in value && 'requestId' in value;
}

export async function problemOf(response: Response): Promise<Problem> {
  const wait = Number(response.headers.get('retry-after'));
  const retryAfter = Number.isFinite(wait) && wait > 0 ? { retryAfter: wait } : {};
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
    // Not our error body: something between us and the PDA answered.
  }
  return new Problem('unreadable', response.status, '', retryAfter);
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem('unreadable', 0, error instanceof Error ? error.message : String(error));
}

/**
 * Whether there is nothing at the address of the page: the PDA has no such thing (404), or the id in the address cannot be one
 * (400 about the path, as `z.uuid()` of a route gives it).
 */
export function isNotFound(error: unknown): boolean {
  const { status, code, details } = asProblem(error);
  if (status === 404) return true;
  return code === 'invalid_input' && details.length > 0 && details.every(({ path }) => path.startsWith('path.'));
}
