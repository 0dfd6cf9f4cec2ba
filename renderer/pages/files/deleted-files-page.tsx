import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import type { OwnerFile } from '../../api/contract.ts';
import { deletedFiles } from '../../api/files.ts';
import { DeletedLine } from '../../components/deleted-line.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failed, Loading } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import classes from '../../components/deleted-lines.module.css';
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
  const { deleted } = file;
  if (deleted === null) return null;
  return (
    <DeletedLine
      title={titleOf(file)}
      icon={KIND_ICONS[file.kind]}
      words={words}
      undo={deleted.undoUntil === null ? undefined : () => bringBack([file])}
    >
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
    </DeletedLine>
  );
}
