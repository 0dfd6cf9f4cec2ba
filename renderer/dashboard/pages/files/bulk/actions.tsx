import { notifications } from '@mantine/notifications';
import { MAX_BULK_FILES } from '../../../../../server/wire/limits.ts';
import type { FileMove, FileMoveResult, TagGroup } from '../../../../shared/api/contract.ts';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { runWithToast, showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { assignTags, changeTags, moveFiles } from '../../../api/files/bulk.ts';
import { offerUndo } from '../../../components/deletion.tsx';

const texts = m.bulkFiles;
const NAMED_FILES_MAX = 5;

export function tooManyFilesText(count: number): string | undefined {
  return count > MAX_BULK_FILES ? texts.tooMany(MAX_BULK_FILES) : undefined;
}

async function restoreTags(previousTags: readonly TagGroup[]): Promise<void> {
  if (await runWithToast(() => assignTags(previousTags))) showToast(texts.tags.undone);
}

/**
 * Adds and removes tags, and offers to undo the change.
 * @throws {Problem} if the PDA refuses the request or does not respond
 */
export async function tagFiles(fileIds: readonly string[], change: { add: string[]; remove: string[] }): Promise<void> {
  const { changed, previousTags } = await changeTags(fileIds, change);
  if (changed === 0) showToast(texts.tags.unchanged);
  else
    offerUndo({
      title: texts.tags.done(changed),
      text: changed < fileIds.length ? texts.tags.doneText : change.add.length > 0 ? texts.tags.doneAllText : '',
      color: 'teal',
      undo: () => void restoreTags(previousTags),
    });
}

function showRefusedFiles({ moved, refused }: FileMoveResult): void {
  const namedFiles = refused.slice(0, NAMED_FILES_MAX);
  notifications.show({
    title: texts.move.refused(refused.length, moved + refused.length),
    color: 'brick',
    autoClose: false,
    message: (
      <>
        {namedFiles.map(({ fileId, name, problem }) => (
          <div key={fileId}>
            {name !== '' && (
              <>
                <UntrustedText>{name}</UntrustedText>:{' '}
              </>
            )}
            {texts.move.problems[problem]}
          </div>
        ))}
        {refused.length > namedFiles.length && <div>{texts.move.more(refused.length - namedFiles.length)}</div>}
      </>
    ),
  });
}

async function moveBack(moves: readonly FileMove[]): Promise<void> {
  await runWithToast(async () => {
    const result = await moveFiles(moves);
    if (result.refused.length > 0) showRefusedFiles(result);
    if (result.moved > 0) showToast(texts.move.undone(result.moved));
  });
}

/**
 * Moves files, names those that could not be moved, and offers to undo the move.
 * @throws {Problem} if the PDA refuses the request or does not respond
 */
export async function moveToFolder(fileIds: readonly string[], folder: string): Promise<void> {
  const result = await moveFiles([{ folder, fileIds: [...fileIds] }]);
  if (result.refused.length > 0) showRefusedFiles(result);
  else if (result.moved === 0) showToast(texts.move.unchanged);
  if (result.moved > 0)
    offerUndo({
      title: texts.move.done(result.moved, folder === '' ? undefined : folder),
      text: texts.move.doneText,
      color: 'teal',
      undo: () => void moveBack(result.undo),
    });
}
