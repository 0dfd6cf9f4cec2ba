import { isDiskFull } from '../../../../platform/io/file-system.ts';
import { codeOf } from '../../../../wire/values.ts';

export type MoveProblemKind =
  /** Something in the archive is not as it was written, or was never written by a PDA. */
  | 'damaged'
  /** Made by a newer version of this program. */
  | 'newer'
  | 'missing'
  | 'full'
  /** There is something in the account, or the account is not set up. */
  | 'wrong_state';

/** Why an export, a look at an archive or an import came to nothing. The message is for the owner; what was there before is as it was. */
export class MoveProblem extends Error {
  readonly kind: MoveProblemKind;
  constructor(kind: MoveProblemKind, text: string) {
    super(text);
    this.name = 'MoveProblem';
    this.kind = kind;
  }
}

/** What is wrong with an archive. */
export const refuse = (problem: string): MoveProblem =>
  new MoveProblem('damaged', `This archive is not taken: ${problem}. Nothing was imported.`);

/** What the disk says, in words. Anything else stays what it is. */
export const archiveErrorText = (error: unknown): unknown => {
  if (isDiskFull(error) || codeOf(error) === 'SQLITE_FULL')
    return new MoveProblem(
      'full',
      'There is no room left on the disk. An import needs as much again as the archive holds.',
    );
  if (codeOf(error) === 'ENOENT') return new MoveProblem('missing', 'The archive is not there (any more).');
  return error;
};
