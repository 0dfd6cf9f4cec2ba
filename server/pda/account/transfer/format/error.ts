import { exceedsFileSizeLimit, FILE_SIZE_LIMIT_REASON, isDiskFull } from '../../../../platform/io/file-system.ts';
import { codeOf } from '../../../../wire/values.ts';

export type TransferErrorKind =
  /**
   * The archive was modified, is incomplete, was not written by a PDA, is too large, or has paths that this disk cannot
   * store.
   */
  | 'damaged'
  /** A newer version of this program wrote the archive. */
  | 'newer'
  /** The archive or its folder does not exist. */
  | 'missing'
  | 'full'
  /** The current state of the account, the target file or the file system of the disk does not permit the request. */
  | 'wrong_state';

/** Error of an export, a check or an import, with a message for the owner. The account is unchanged. */
export class TransferError extends Error {
  readonly kind: TransferErrorKind;
  constructor(kind: TransferErrorKind, text: string) {
    super(text);
    this.name = 'TransferError';
    this.kind = kind;
  }
}

export const invalidArchive = (problem: string): TransferError =>
  new TransferError('damaged', `This archive cannot be imported: ${problem}. Nothing was imported.`);

/** Maps a full disk, a file size limit or a missing file to a TransferError. Returns any other error unchanged. */
export const toTransferError = (error: unknown): unknown => {
  if (isDiskFull(error) || codeOf(error) === 'SQLITE_FULL')
    return new TransferError(
      'full',
      'The disk is full. An export or import can need as much space as the content of the archive. Free some space.',
    );
  if (exceedsFileSizeLimit(error)) return new TransferError('wrong_state', FILE_SIZE_LIMIT_REASON);
  if (codeOf(error) === 'ENOENT')
    return new TransferError(
      'missing',
      'The archive or its folder does not exist. If you uploaded the archive, upload it again.',
    );
  return error;
};
