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

const MAX_WORDS = 300;

/** What the authority says, as one line for a person: it may say anything. */
export const words = (text: string): string => {
  const line = text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return line.length > MAX_WORDS ? `${line.slice(0, MAX_WORDS)}…` : line;
};
