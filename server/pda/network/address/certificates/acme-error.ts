/**
 * Why there is no certificate. `unreachable` the authority could not be asked · `clock` this machine's time is not the authority's · `authority` it was
 * asked, and said no or something that makes no sense · `here` this machine failed.
 */
export type ProblemKind = 'unreachable' | 'clock' | 'authority' | 'here';

export class AcmeProblem extends Error {
  readonly kind: ProblemKind;
  /** The last word of the authority's `type`, e.g. `badNonce`. */
  readonly type: string | undefined;
  /** Milliseconds for which the authority asked not to be asked again. */
  readonly retryAfterMs: number | undefined;

  constructor(kind: ProblemKind, message: string, more: { type?: string; retryAfterMs?: number | undefined } = {}) {
    super(message);
    this.name = 'AcmeProblem';
    this.kind = kind;
    this.type = more.type;
    this.retryAfterMs = more.retryAfterMs;
  }
}
