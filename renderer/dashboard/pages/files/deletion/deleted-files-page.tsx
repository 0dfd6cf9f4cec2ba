import { useInfiniteQuery } from '@tanstack/react-query';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { deletedFiles } from '../../../api/files/queries.ts';
import { DeletedList } from '../../../components/deleted-list.tsx';
import { ActionButton } from '../../../../shared/feedback/action-button.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from '../../../components/deleted-list.module.css';
import { restoreFiles } from './actions.ts';
import { KIND_ICONS, toIsoTime, titleOf } from '../file-kinds.ts';

const texts = m.files.deletion.list;

/** Lists deleted files, including files that were permanently deleted or removed from the watched folder. */
export function DeletedFilesPage() {
  const query = useInfiniteQuery(deletedFiles);
  const files = query.data?.pages.flatMap((page) => page.files) ?? [];
  return (
    <DeletedList
      texts={texts}
      parent={{ label: m.files.pageTitle, to: '/files' }}
      query={query}
      hasItems={files.length > 0}
    >
      <ul className={classes.list}>
        {files.map((file) => (
          <DeletedFile key={file.ledgerId} file={file} />
        ))}
      </ul>
    </DeletedList>
  );
}

function DeletedFile({ file }: { file: OwnerFile }) {
  const { deleted } = file;
  if (deleted === null) return null;
  const KindIcon = KIND_ICONS[file.kind];
  const title = titleOf(file);
  const canRestore = deleted.undoUntil !== null;
  return (
    <li data-gone={!canRestore || undefined}>
      <KindIcon size={20} stroke={1.5} aria-hidden="true" />
      <div>
        <strong>{title}</strong>
        <span>{file.file.source}</span>
        <span>
          {deleted.by === 'outside' ? texts.outside : texts.deleted} <RelativeTime at={toIsoTime(deleted.time)} />
          {' · '}
          {deleted.undoUntil === null ? (
            deleted.by === 'outside' ? (
              texts.outsideText
            ) : (
              texts.permanentlyDeleted
            )
          ) : (
            <>
              {texts.until} <RelativeTime at={toIsoTime(deleted.undoUntil)} />
            </>
          )}
        </span>
      </div>
      {canRestore && (
        <ActionButton action={() => restoreFiles([file])} label={texts.restoreLabel(title)} isListItem>
          {texts.restore}
        </ActionButton>
      )}
    </li>
  );
}
