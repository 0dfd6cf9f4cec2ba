import { isDiskFull } from '../../../../platform/io/file-system.ts';
import { codeOf } from '../../../../wire/values.ts';

export type MoveProblemKind =
  /** The archive was modified, is incomplete, or was not written by a PDA. */
  | 'damaged'
  /** The archive was written by a newer version of this program. */
  | 'newer'
  | 'missing'
  | 'full'
  /** The account is not empty or not set up. */
  | 'wrong_state';

/** Error of an export, a check of an archive or an import. Nothing was changed. The message is for the owner. */
export class MoveProblem extends Error {
  readonly kind: MoveProblemKind;
  constructor(kind: MoveProblemKind, text: string) {
    super(text);
    this.name = 'MoveProblem';
    this.kind = kind;
  }
}

/** Creates the error for an invalid archive. */
export const invalidArchive = (problem: string): MoveProblem =>
  new MoveProblem('damaged', `This archive cannot be imported: ${problem}. Nothing was imported.`);

/** Maps errors of the disk to a MoveProblem and returns any other error unchanged. */
export const archiveErrorText = (error: unknown): unknown => {
  if (isDiskFull(error) || codeOf(error) === 'SQLITE_FULL')
    return new MoveProblem('full', 'The disk is full. An import needs as much space as the content of the archive.');
  if (codeOf(error) === 'ENOENT') return new MoveProblem('missing', 'The archive does not exist any more.');
  return error;
};
