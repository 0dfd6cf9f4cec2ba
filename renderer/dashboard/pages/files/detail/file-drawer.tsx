import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { Box, Button, Group } from '@mantine/core';
import { IconDownload, IconPencil, IconShare, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Suspense, lazy } from 'react';
import { Link } from 'react-router';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { fileSummary, ownerFile } from '../../../api/files/queries.ts';
import { type Fact, FactList } from '../../../../shared/components/fact-list.tsx';
import { CopyableValue } from '../../../../shared/components/copyable-value.tsx';
import { EraseLink } from '../../../components/erase-link.tsx';
import { type ItemContentProps, type ItemDrawerState, ItemDrawer } from '../../../../shared/overlay/item-drawer.tsx';
import { ActionButton } from '../../../../shared/feedback/action-button.tsx';
import { LoadingSkeleton, ItemLoadError, NotFoundNote } from '../../../../shared/feedback/states.tsx';
import { withParameters, useUrlQuery } from '../../../../shared/form/use-url-query.ts';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { useApplicationName } from '../../../api/sharing/access.ts';
import { bytes, wallClockTime } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { filesPath } from '../../../navigation.ts';
import { RecordAccessList } from '../../data/records/access-list.tsx';
import { deleteFiles, restoreFiles } from '../deletion/actions.ts';
import { downloadFile } from './download.ts';
import { EditFile } from './edit-file.tsx';
import classes from './file-drawer.module.css';
import { toIsoTime, sizeOf, titleOf } from '../file-kinds.ts';
import { FilePreview } from './preview.tsx';
import { ShareDialog } from '../sharing/share-dialog.tsx';
import { FileAccessList } from '../sharing/access-list.tsx';

const PicturePlace = lazy(async () => ({ default: (await import('./picture-place.tsx')).PicturePlace }));

const texts = m.files.file;
const ICON_PROPS = { size: 15, stroke: 1.6 } as const;

/**
 * A change, for example to the metadata, that is made within this time after the file was created counts as part of the
 * upload. The time of such a change is not shown.
 */
const UPLOAD_GRACE_MS = 60_000;

export function FileDrawer(props: ItemDrawerState<OwnerFile>) {
  return (
    <ItemDrawer
      {...props}
      idOf={({ file }) => file.fileId}
      texts={texts}
      editTitle={m.files.edit.title}
      size="40rem"
      content={Content}
    />
  );
}

function Content({ id, item, isEditing, edit, stopEditing, close }: ItemContentProps<OwnerFile>) {
  const query = useQuery({ ...ownerFile(id), ...(item === undefined ? {} : { placeholderData: item }) });
  if (query.isPending) return <LoadingSkeleton rows={8} />;
  const file = query.data;
  // While the owner edits the file, the form and its input stay even if reloading the file fails.
  if (file === undefined || (query.isError && !isEditing))
    return <ItemLoadError error={query.error} retry={() => void query.refetch()} texts={texts} />;
  if (file.deleted !== null) return <DeletedNote file={file} />;
  if (file.file.status.status !== 'Completed')
    return <NotFoundNote title={texts.unfinished} text={texts.unfinishedText} />;
  if (isEditing && !query.isPlaceholderData) return <EditFile file={file} onDone={stopEditing} />;
  return <FileContent file={file} edit={edit} close={close} />;
}

function DeletedNote({ file }: { file: OwnerFile }) {
  const { deleted } = file;
  return (
    <>
      <NotFoundNote title={texts.deleted} text={titleOf(file)} />
      {deleted !== null && deleted.undoUntil !== null && (
        <Box mt="md">
          <ActionButton action={() => restoreFiles([file])}>{m.files.deletion.list.restore}</ActionButton>
        </Box>
      )}
    </>
  );
}

function useShareDialog(): [boolean, (open: boolean) => void] {
  const [query, setQuery] = useUrlQuery();
  const set = (open: boolean) =>
    setQuery(withParameters({ share: open ? '1' : '' }), { replace: !open, preventScrollReset: true });
  return [query.get('share') === '1', set];
}

function FileContent({ file, edit, close }: { file: OwnerFile; edit: () => void; close: () => void }) {
  const [isSharing, setIsSharing] = useShareDialog();
  const title = titleOf(file);
  const remove = async () => {
    close();
    await deleteFiles([file]);
  };
  return (
    <>
      <h3 className={classes.name}>
        <UntrustedText>{title}</UntrustedText>
      </h3>
      {title !== file.file.name && (
        <p className={classes.fileName}>
          <UntrustedText>{file.file.name}</UntrustedText>
        </p>
      )}
      {/* The buttons are above the preview, because the preview grows when it loads and would move them. */}
      <Group gap="sm" my="lg">
        <Button size="xs" leftSection={<IconDownload {...ICON_PROPS} />} onClick={() => void downloadFile(file)}>
          {texts.download}
        </Button>
        <Button
          variant="default"
          size="xs"
          leftSection={<IconShare {...ICON_PROPS} />}
          onClick={() => setIsSharing(true)}
        >
          {texts.share}
        </Button>
        <Button variant="default" size="xs" leftSection={<IconPencil {...ICON_PROPS} />} onClick={edit}>
          {m.shell.edit}
        </Button>
        <Button
          variant="default"
          size="xs"
          c="var(--stop)"
          leftSection={<IconTrash {...ICON_PROPS} />}
          onClick={() => void remove()}
        >
          {m.shell.delete}
        </Button>
      </Group>
      <FilePreview key={`${file.file.fileId} ${file.sha256 ?? ''}`} file={file} />
      <Description file={file} />
      <section className={classes.section} aria-label={m.files.share.visibility}>
        <h3>{m.files.share.visibility}</h3>
        <FileAccessList file={file} />
      </section>
      {file.picture?.place != null && (
        <section className={classes.section} aria-label={texts.place}>
          <h3>{texts.place}</h3>
          <Suspense fallback={<LoadingSkeleton rows={6} height={32} />}>
            <PicturePlace {...file.picture.place} />
          </Suspense>
        </section>
      )}
      <Details file={file} />
      <RecordAccessList recordId={file.ledgerId} />
      <ShareDialog file={file} opened={isSharing} close={() => setIsSharing(false)} />
    </>
  );
}

function Description({ file: { file } }: { file: OwnerFile }) {
  const { description = '', tags = [] } = file;
  if (description === '' && tags.length === 0) return null;
  return (
    <div className={classes.description}>
      {description !== '' && <p>{description}</p>}
      {tags.length > 0 && (
        <ul className={classes.tags} aria-label={texts.tags}>
          {tags.map((tag) => (
            <li key={tag}>
              <Link to={filesPath({ tag })}>{tag}</Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Details({ file }: { file: OwnerFile }) {
  const applicationName = useApplicationName();
  const folder = useQuery(fileSummary).data?.folder;
  const { source, dateCreated, lastUpdated, fileId } = file.file;
  const fullPath = file.path === null || folder === undefined ? undefined : `${folder}/${file.path}`;
  const facts: (Fact | false)[] = [
    { term: m.files.filter.kind, value: texts.kindText(m.files.kinds[file.kind], file.contentType) },
    { term: m.files.list.size, value: bytes(sizeOf(file)) },
    file.picture?.taken != null && { term: texts.taken, value: wallClockTime(file.picture.taken.local) },
    file.picture?.camera != null && { term: texts.camera, value: file.picture.camera },
    file.unreadableText && { term: texts.text, value: texts.unreadableText },
    { term: m.files.list.source, value: <Link to={filesPath({ source })}>{source}</Link> },
    { term: m.files.list.added, value: <RelativeTime at={toIsoTime(dateCreated)} /> },
    Math.abs(lastUpdated - dateCreated) > UPLOAD_GRACE_MS && {
      term: texts.changed,
      value: <RelativeTime at={toIsoTime(lastUpdated)} />,
    },
    {
      term: texts.cameFrom,
      value:
        file.from === 'application'
          ? texts.from.application(applicationName(file.application ?? ''))
          : texts.from[file.from],
    },
    file.collections.length > 0 && {
      term: m.collections.label,
      value: file.collections.map(({ collectionId, name }, index) => (
        <span key={collectionId}>
          {index > 0 && ', '}
          <Link to={filesPath({ collection: collectionId })}>
            <UntrustedText>{name}</UntrustedText>
          </Link>
        </span>
      )),
    },
    fullPath !== undefined && { term: texts.path, value: <CopyableValue value={fullPath} label={texts.copyPath} /> },
    file.sha256 !== null && {
      term: texts.checksum,
      value: <CopyableValue value={file.sha256} label={texts.copyChecksum} />,
    },
    { term: texts.id, value: <CopyableValue value={fileId} label={texts.copyId} /> },
  ];
  return (
    <section className={classes.section} aria-label={texts.details}>
      <h3>{texts.details}</h3>
      <FactList facts={facts} />
      <EraseLink kind="file" target={fileId} />
    </section>
  );
}
