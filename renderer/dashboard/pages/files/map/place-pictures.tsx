import { UnstyledButton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { MapClusters } from '../../../../../server/wire/maps.ts';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { picturesInArea } from '../../../api/files/picture-map.ts';
import type { FileSelection } from '../../../api/files/selection.ts';
import { positionText } from '../../data/charts/map/place-list.tsx';
import { PlacePanel } from '../../data/charts/map/place-panel.tsx';
import { titleOf } from '../file-kinds.ts';
import { Thumbnail } from '../list/thumbnail.tsx';
import classes from './picture-map.module.css';

const texts = m.files.map;

interface PlacePicturesProps {
  selection: FileSelection;
  place: MapClusters['clusters'][number];
  onOpen: (fileId: string) => void;
  onClose: () => void;
}

export function PlacePictures({ selection, place, onOpen, onClose }: PlacePicturesProps) {
  const query = useQuery(picturesInArea(selection, place.bounds));
  const heading = texts.picturesAt(place.records, positionText(place.longitude, place.latitude));
  return (
    <PlacePanel heading={heading} query={query} countListed={({ pictures }) => pictures.length} onClose={onClose}>
      {({ pictures }) => (
        <ul className={classes.pictures}>
          {pictures.map((picture) => (
            <li key={picture.file.fileId}>
              <UnstyledButton className={classes.picture ?? ''} onClick={() => onOpen(picture.file.fileId)}>
                <span className={classes.thumbnail}>
                  <Thumbnail file={picture} size="tile" />
                </span>
                <span className={classes.title}>
                  <UntrustedText>{titleOf(picture)}</UntrustedText>
                </span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      )}
    </PlacePanel>
  );
}
