import { Skeleton } from '@mantine/core';
import { type Icon, IconPhotoOff, IconPhotoX, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { OwnerFile } from '../../../../../shared/api/contract.ts';
import { isNotFound } from '../../../../../shared/api/problem.ts';
import { UntrustedText } from '../../../../../shared/components/untrusted-text.tsx';
import { RelativeTime } from '../../../../../shared/components/relative-time.tsx';
import type { GridItem } from '../../../../../shared/long-list/use-grid.ts';
import { m } from '../../../../../shared/messages/texts.ts';
import { ownerFile } from '../../../../api/files/queries.ts';
import { sizeOf } from '../../../files/file-kinds.ts';
import { THUMBNAIL_MAX_BYTES } from '../../../files/list/thumbnail.tsx';
import { useContent } from '../../../files/list/use-content.ts';
import tileClasses from '../../../files/list/file-tile.module.css';
import classes from './gallery.module.css';
import type { GalleryItem } from './gallery-page.ts';
import type { PictureReference } from './picture-reference.ts';

const texts = m.charts.gallery;

export function PictureTile({ index, item, active, onPress }: GridItem<GalleryItem>) {
  return (
    <div
      role="gridcell"
      id={`picture-${index}`}
      data-active={active || undefined}
      className={tileClasses.tile}
      onClick={() => onPress(false)}
    >
      <TileContent item={item} />
    </div>
  );
}

/** @param props.item undefined while loading */
export function TileContent({ item }: { item: GalleryItem | undefined }) {
  return (
    <>
      <span className={tileClasses.picture}>
        {item === undefined ? (
          <LoadingPicture />
        ) : (
          <Picture key={`${item.recordId} ${item.lastUpdated}`} picture={item.picture} />
        )}
      </span>
      {item !== undefined && (
        <span className={tileClasses.caption}>
          <span className={tileClasses.title} title={item.title === '' ? undefined : item.title}>
            <UntrustedText>{item.title === '' ? m.charts.map.untitled : item.title}</UntrustedText>
          </span>
          <span className={tileClasses.secondaryText}>
            {item.time === '' ? <RelativeTime at={item.created} short /> : <UntrustedText>{item.time}</UntrustedText>}
          </span>
        </span>
      )}
    </>
  );
}

function Picture({ picture }: { picture: PictureReference }) {
  switch (picture.kind) {
    case 'embedded':
      return <EmbeddedPicture src={picture.src} />;
    case 'file':
      return <FilePicture fileId={picture.fileId} />;
    case 'external':
      return (
        <PictureNote icon={IconWorld}>
          <span>
            <UntrustedText>{texts.otherServer(picture.host)}</UntrustedText>
          </span>
          <span className={classes.openLabel}>{m.timeline.open}</span>
        </PictureNote>
      );
    case 'tooLarge':
      return <PictureNote icon={IconPhotoOff}>{texts.tooLarge}</PictureNote>;
    case 'unknown':
      return <PictureNote icon={IconPhotoOff}>{texts.unknown}</PictureNote>;
  }
}

function EmbeddedPicture({ src }: { src: string }) {
  const [isBroken, setIsBroken] = useState(false);
  return isBroken ? <BrokenPicture /> : <Content src={src} onError={() => setIsBroken(true)} />;
}

function FilePicture({ fileId }: { fileId: string }) {
  const query = useQuery(ownerFile(fileId));
  if (query.isPending) return <LoadingPicture />;
  if (query.isError)
    return <PictureNote icon={IconPhotoOff}>{isNotFound(query.error) ? texts.missing : texts.unreachable}</PictureNote>;
  const file = query.data;
  if (file.deleted !== null || file.file.status.status !== 'Completed')
    return <PictureNote icon={IconPhotoOff}>{texts.missing}</PictureNote>;
  if (file.kind !== 'image' || !file.inline) return <PictureNote icon={IconPhotoOff}>{texts.unknown}</PictureNote>;
  if (sizeOf(file) > THUMBNAIL_MAX_BYTES) return <PictureNote icon={IconPhotoOff}>{texts.tooLarge}</PictureNote>;
  return <FileContent key={`${fileId} ${file.sha256 ?? ''}`} file={file} />;
}

function FileContent({ file }: { file: OwnerFile }) {
  const { src, onError } = useContent(file);
  return src === undefined ? <BrokenPicture /> : <Content src={src} onError={onError} />;
}

function Content({ src, onError }: { src: string; onError: () => void }) {
  // `alt` is empty, because the tile already shows the title of the record.
  return (
    <img
      className={classes.image}
      src={src}
      alt=""
      loading="lazy"
      decoding="async"
      draggable={false}
      onError={onError}
    />
  );
}

function BrokenPicture() {
  return <PictureNote icon={IconPhotoX}>{texts.broken}</PictureNote>;
}

function LoadingPicture() {
  return <Skeleton height="100%" radius={0} />;
}

function PictureNote({ icon: NoteIcon, children }: { icon: Icon; children: ReactNode }) {
  return (
    <span className={classes.note}>
      <NoteIcon size={28} stroke={1.25} aria-hidden="true" />
      {children}
    </span>
  );
}
