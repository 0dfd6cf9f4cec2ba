import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnerFile } from '../../api/contract.ts';
import { deletedFiles } from '../../api/files.ts';
import { Page } from '../../components/page.tsx';
import { Empty, Failed, Loading } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/en.ts';
import classes from './deleted-files-page.module.css';
import { bringBack } from './deleting-files.ts';
import { KIND_ICONS, moment, titleOf } from './kinds.ts';

const words = m.files.deletion.list;

/** What was deleted, what of it can be brought back, and what went without this page. */
export function DeletedFilesPage() {
  const gone = useInfiniteQuery(deletedFiles);
  const files = gone.data?.pages.flatMap((page) => page.files) ?? [];
  return (
    <Page
      title={words.title}
      windowTitle={words.title}
      lead={words.text}
      crumbs={[{ label: m.files.pageTitle, to: '/files' }]}
    >
      {gone.isPending && <Loading />}
      {gone.isError && <Failed error={gone.error} retry={() => void gone.refetch()} />}
      {gone.data !== undefined && files.length === 0 && (
        <Empty icon={IconTrash} title={words.emptyTitle}>
          {words.emptyText}
        </Empty>
      )}
      {files.length > 0 && (
        <ul className={classes.list}>
          {files.map((file) => (
            <Line key={file.ledgerId} file={file} />
          ))}
        </ul>
      )}
      {gone.hasNextPage && (
        <Button
          mt="md"
          variant="default"
          size="xs"
          loading={gone.isFetchingNextPage}
          onClick={() => void gone.fetchNextPage()}
        >
          {words.more}
        </Button>
      )}
    </Page>
  );
}

function Line({ file }: { file: OwnerFile }) {
  const [busy, setBusy] = useState(false);
  const KindIcon = KIND_ICONS[file.kind];
  const title = titleOf(file);
  const { deleted } = file;
  if (deleted === null) return null;
  const undo = () => {
    setBusy(true);
    void bringBack([file]).finally(() => setBusy(false));
  };
  const canUndo = deleted.undoUntil !== null;
  return (
    <li data-gone={!canUndo || undefined}>
      <KindIcon size={20} stroke={1.5} aria-hidden="true" />
      <div>
        <strong>{title}</strong>
        <span>{file.file.source}</span>
        <span>
          {deleted.by === 'outside' ? words.outside : words.deleted} <When at={moment(deleted.time)} />
          {' · '}
          {deleted.undoUntil === null ? (
            deleted.by === 'outside' ? (
              words.outsideText
            ) : (
              words.gone
            )
          ) : (
            <>
              {words.until} <When at={moment(deleted.undoUntil)} />
            </>
          )}
        </span>
      </div>
      {canUndo && (
        <Button variant="default" size="xs" loading={busy} onClick={undo} aria-label={words.undoLabel(title)}>
          {words.undo}
        </Button>
      )}
    </li>
  );
}
