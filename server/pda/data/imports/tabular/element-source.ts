import { MAX_JSON_BODY_BYTES } from '../../../../wire/limits.ts';
import type { JsonProblem } from '../../../../platform/json/text.ts';

export interface ImportedElement {
  /** Minified, valid JSON. */
  readonly text: string;
  /** First line of the element in the file, counted from 1; 1 for all elements of TopoJSON. */
  readonly line: number;
  /** Index among the elements of the file, counted from 0. */
  readonly index: number;
}

export interface ElementProblem {
  /** For example, "contacts.vcf, line 12". */
  readonly position: string;
  readonly problem: string;
}

export interface ElementBatch {
  readonly elements: readonly ImportedElement[];
  /**
   * Unreadable elements that were skipped. Only in TopoJSON; in other formats, reading ends at the first unreadable
   * element.
   */
  readonly problems: readonly ElementProblem[];
  /** Index of the first element after the batch. */
  readonly next: number;
  readonly bytesRead: number;
}

type ImportProblem = JsonProblem | 'too_large' | 'broken_csv';

/**
 * Thrown if a file cannot be read further: at its first unreadable element (except in TopoJSON), or because its
 * structure is invalid or the whole file is unusable. The message does not contain the line number.
 */
export class BrokenElement extends Error {
  /** Line of the problem; null if the problem concerns the whole file. */
  readonly line: number | null;
  readonly index: number;
  readonly problem: ImportProblem;

  constructor(position: { line: number | null; index: number }, problem: ImportProblem, reason: string) {
    super(reason);
    this.line = position.line;
    this.index = position.index;
    this.problem = problem;
  }
}

/**
 * Parses a file chunk by chunk, and appends complete elements to `output`.
 * @throws BrokenElement after appending the elements before the broken one
 */
export interface ElementSource {
  push(chunk: Buffer, output: ImportedElement[]): void | Promise<void>;
  end(output: ImportedElement[]): void | Promise<void>;
}

/** Maximum size of an element. Bounds the memory of an import. A request cannot contain a larger record either. */
export const MAX_ELEMENT_BYTES = MAX_JSON_BODY_BYTES;
