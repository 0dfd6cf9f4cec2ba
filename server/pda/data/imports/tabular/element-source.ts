import { MAX_JSON_BODY_BYTES } from '../../../../wire/limits.ts';
import type { JsonProblem } from '../../../../platform/json/text.ts';

/** One value of an imported file, to be stored as one record. */
export interface ImportedElement {
  /** Minified JSON text, checked by the rules of `json-text.ts`. */
  readonly text: string;
  /** Line of the file at which the element begins, counted from 1. */
  readonly line: number;
  /** Place among the elements of the file, counted from 0: where a resumed import goes on. */
  readonly index: number;
}

export type ImportProblem = JsonProblem | 'too_large' | 'broken_csv';

/** The first element of a file that cannot be read. All elements before it have been handed out; none after it are. */
export class BrokenElement extends Error {
  readonly line: number;
  readonly index: number;
  readonly problem: ImportProblem;
  /** One sentence for a person, with the line. */
  override readonly cause: string;

  constructor(place: { line: number; index: number }, problem: ImportProblem, reason: string) {
    const cause = `Line ${place.line}: ${reason}`;
    super(cause);
    this.line = place.line;
    this.index = place.index;
    this.problem = problem;
    this.cause = cause;
  }
}

/**
 * Takes a file in pieces and appends the elements that are complete to `into`. Throws BrokenElement, with `into` holding all that
 * came before.
 */
export interface ElementSource {
  push(piece: Buffer, into: ImportedElement[]): void | Promise<void>;
  end(into: ImportedElement[]): void | Promise<void>;
}

/** Bytes. What could not be posted as one record is not imported as one either; it also bounds the memory of an import. */
export const MAX_ELEMENT_BYTES = MAX_JSON_BODY_BYTES;
