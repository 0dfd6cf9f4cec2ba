import { Text } from '@mantine/core';
import { useMemo } from 'react';
import type { MapBounds, MapClusters } from '../../../../../server/wire/maps.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { useStreetDetail } from '../../data/charts/map/detail/use-street-detail.ts';
import { MapCanvas } from '../../data/charts/map/map-canvas.tsx';
import { MapSources } from '../../data/charts/map/map-sources.tsx';
import { positionText } from '../../data/charts/map/place-list.tsx';

/** Distance from the picture to the northern and southern edges of the map: about 155 km, or 5.5 km with streets. */
const OUTLINE_MARGIN_DEGREES = 1.4;
const STREET_MARGIN_DEGREES = 0.05;
const MAX_LATITUDE = 85;
const noop = (): void => undefined;

interface PicturePlaceProps {
  /** In degrees. */
  latitude: number;
  longitude: number;
}

const contains = ({ west, south, east, north }: MapBounds, { latitude, longitude }: PicturePlaceProps): boolean =>
  longitude >= west && longitude <= east && latitude >= south && latitude <= north;

/** Map of the place where a picture was taken. Must be loaded on demand, because the map library is large. */
export function PicturePlace({ latitude, longitude }: PicturePlaceProps) {
  const { detail, onTileError } = useStreetDetail();
  const hasStreets = detail?.bounds !== undefined && contains(detail.bounds, { latitude, longitude });
  const margin = hasStreets ? STREET_MARGIN_DEGREES : OUTLINE_MARGIN_DEGREES;
  const target = useMemo(
    () => ({
      west: longitude,
      east: longitude,
      south: Math.max(-MAX_LATITUDE, latitude - margin),
      north: Math.min(MAX_LATITUDE, latitude + margin),
    }),
    [latitude, longitude, margin],
  );
  const clusters = useMemo((): MapClusters['clusters'] => {
    const bounds = { west: longitude, south: latitude, east: longitude, north: latitude };
    return [{ longitude, latitude, records: 1, recordId: null, title: null, bounds }];
  }, [latitude, longitude]);
  return (
    <>
      <Text mb="0.75rem">{positionText(longitude, latitude)}</Text>
      <MapCanvas
        target={target}
        clusters={clusters}
        detail={detail}
        isLoading={false}
        label={m.files.file.placeMap}
        isStatic
        onArea={noop}
        onMove={noop}
        onCluster={noop}
        onDetailError={onTileError}
        onReset={noop}
        list={null}
      />
      <MapSources isStatic detail={detail} />
    </>
  );
}
