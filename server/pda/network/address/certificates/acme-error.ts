/** `clock`: this computer's clock seems to be wrong. `authority`: any other problem with the authority or its URL. */
export type ProblemKind = 'unreachable' | 'clock' | 'authority';

export class AcmeProblem extends Error {
  readonly kind: ProblemKind;
  /** Last part of the authority's error type, such as `badNonce`. */
  readonly type: string | undefined;
  readonly retryAfterMs: number | undefined;

  constructor(kind: ProblemKind, message: string, details: { type?: string; retryAfterMs?: number | undefined } = {}) {
    super(message);
    this.name = 'AcmeProblem';
    this.kind = kind;
    this.type = details.type;
    this.retryAfterMs = details.retryAfterMs;
  }
}
