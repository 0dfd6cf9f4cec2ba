import { Group, UnstyledButton } from '@mantine/core';
import { Suspense, lazy } from 'react';
import type { OwnerFile } from '../../../shared/api/contract.ts';
import { m } from '../../../shared/messages/texts.ts';
import { filesPath } from '../../navigation.ts';
import { titleOf } from '../files/file-kinds.ts';
import { Thumbnail } from '../files/list/thumbnail.tsx';
import { DayMap } from './map/day-map.tsx';
import classes from './day-pictures.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

/** The names of cities are loaded only if there are pictures with a place. */
const PicturePlaces = lazy(async () => ({ default: (await import('./picture-places.tsx')).PicturePlaces }));

const texts = m.timeline;
const MAX_SHOWN_PICTURES = 12;

interface DayPicturesProps {
  pictures: readonly OwnerFile[];
  /** Includes pictures that are not in `pictures`. */
  total: number;
  open: (fileId: string) => void;
}

export function DayPictures({ pictures, total, open }: DayPicturesProps) {
  const places = pictures.flatMap(({ picture }) => picture?.place ?? []);
  return (
    <div className={classes.day}>
      <ul className={classes.pictures} aria-label={texts.dayPictures(total)}>
        {pictures.slice(0, MAX_SHOWN_PICTURES).map((file) => (
          <li key={file.file.fileId}>
            <UnstyledButton
              className={classes.picture ?? ''}
              aria-label={texts.openPicture(titleOf(file))}
              title={titleOf(file)}
              onClick={() => open(file.file.fileId)}
              data-list-item
            >
              <Thumbnail file={file} size="tile" />
            </UnstyledButton>
          </li>
        ))}
      </ul>
      {(places.length > 0 || total > MAX_SHOWN_PICTURES) && (
        <Group gap="0.125rem 1rem" mt="0.375rem" fz="xs" c="dimmed">
          {places.length > 0 && (
            <Suspense fallback={null}>
              <PicturePlaces places={places} />
            </Suspense>
          )}
          {total > MAX_SHOWN_PICTURES && (
            <TextLink to={filesPath({ view: 'gallery' })} size="xs">
              {texts.morePictures(total - MAX_SHOWN_PICTURES)}
            </TextLink>
          )}
        </Group>
      )}
      <DayMap places={places} />
    </div>
  );
}
