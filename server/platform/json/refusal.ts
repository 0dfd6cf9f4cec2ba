import { MAX_JSON_DEPTH, MAX_RECORDS_PER_REQUEST } from '../../wire/limits.ts';

/** Reason why a JSON text is refused. The codes are stable. */
export type JsonProblem =
  | 'empty'
  | 'not_utf8'
  | 'not_json'
  | 'too_deep'
  | 'duplicate_key'
  | 'forbidden_key'
  | 'lone_surrogate'
  | 'number_out_of_range'
  | 'not_an_object'
  | 'large_members';

/** Thrown where a JSON text breaks a rule. The functions in `text.ts` return it as a `JsonFailure`. */
export class JsonRefusal extends Error {
  readonly problem: JsonProblem;
  readonly position: number;

  constructor(problem: JsonProblem, position: number, cause: string) {
    super(cause);
    this.problem = problem;
    this.position = position;
  }
}

export interface JsonLimits {
  /** Maximum nesting depth of arrays and objects; the outermost level counts as one. */
  readonly maxDepth: number;
  /**
   * Maximum number of elements that are kept. Further ones are only checked and counted, because millions would take
   * too much memory.
   */
  readonly maxElements?: number;
}

export const JSON_LIMITS: JsonLimits = { maxDepth: MAX_JSON_DEPTH, maxElements: MAX_RECORDS_PER_REQUEST };
