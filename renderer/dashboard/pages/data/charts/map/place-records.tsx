import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { Field } from '../../../../../../server/wire/fields.ts';
import type { MapClusters } from '../../../../../../server/wire/maps.ts';
import { UntrustedText } from '../../../../../shared/components/untrusted-text.tsx';
import { m } from '../../../../../shared/messages/texts.ts';
import { type MapRequest, mapRecords } from '../../../../api/maps.ts';
import { positionText } from './place-list.tsx';
import { PlacePanel } from './place-panel.tsx';
import classes from './map.module.css';

const texts = m.charts.map;

interface PlaceRecordsProps {
  request: MapRequest;
  place: MapClusters['clusters'][number];
  titleField: Field | undefined;
  revision: string;
  onOpen: (recordId: string) => void;
  onClose: () => void;
}

export function PlaceRecords({ request, place, titleField, revision, onOpen, onClose }: PlaceRecordsProps) {
  const query = useQuery(mapRecords(request, place.bounds, titleField?.path, revision));
  const heading = texts.recordsAt(place.records, positionText(place.longitude, place.latitude));
  return (
    <PlacePanel heading={heading} query={query} countListed={({ records }) => records.length} onClose={onClose}>
      {({ records }) => (
        <ul className={classes.recordList}>
          {records.map((record) => (
            <li key={record.recordId}>
              <Anchor size="md" component="button" type="button" ta="left" onClick={() => onOpen(record.recordId)}>
                <UntrustedText>{record.title ?? texts.untitled}</UntrustedText>
              </Anchor>
            </li>
          ))}
        </ul>
      )}
    </PlacePanel>
  );
}
