import { ERROR_STATUS, REASON_PHRASE, type ErrorBody, type ErrorCode, type ErrorDetail } from '../wire/errors.ts';

type Extras = { details?: ErrorDetail[]; headers?: Record<string, string> };

/** An expected error. `reason` is a sentence for people and never contains a password, a token or stored content. */
export class Failure extends Error {
  readonly code: ErrorCode;
  readonly reason: string;
  readonly details: ErrorDetail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, reason: string, extras: Extras = {}) {
    super(reason);
    this.name = 'Failure';
    this.code = code;
    this.reason = reason;
    this.details = extras.details;
    this.headers = extras.headers ?? {};
  }

  get status(): number {
    return ERROR_STATUS[this.code];
  }

  toBody(requestId: string): ErrorBody {
    return {
      error: this.code,
      message: REASON_PHRASE[this.status] ?? 'Error',
      cause: this.reason,
      ...(this.details === undefined ? {} : { details: this.details }),
      requestId,
    };
  }
}

export const UNEXPECTED_FAILURE = new Failure('internal_error', 'The server failed unexpectedly.');

/** Returns a `catch` handler that ignores failures with these codes and rethrows any other error. */
export const ignoreFailures =
  (...codes: readonly ErrorCode[]) =>
  (error: unknown): undefined => {
    if (!(error instanceof Failure && codes.includes(error.code))) throw error;
  };
