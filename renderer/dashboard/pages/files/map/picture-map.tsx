import { Box, Button, Flex, Text } from '@mantine/core';
import { IconMap, IconMapOff, IconTable } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { MapBounds, MapClusters } from '../../../../../server/wire/maps.ts';
import type { PictureClusters } from '../../../../../server/wire/picture-map.ts';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { EmptyState, LoadError } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { pictureClusters, pictureExtent } from '../../../api/files/picture-map.ts';
import type { FileSelection } from '../../../api/files/selection.ts';
import { DetailSection } from '../../data/charts/map/detail/detail-section.tsx';
import { useStreetDetail } from '../../data/charts/map/detail/use-street-detail.ts';
import { MapCanvas } from '../../data/charts/map/map-canvas.tsx';
import { MapSources } from '../../data/charts/map/map-sources.tsx';
import { PlaceList } from '../../data/charts/map/place-list.tsx';
import { type MapCluster, useMapView } from '../../data/charts/map/use-map-view.ts';
import { PlacePictures } from './place-pictures.tsx';

const texts = m.files.map;
const mapTexts = m.charts.map;
const ICON_PROPS = { size: 15, stroke: 1.6 };
const LIST_TEXTS = {
  countHeading: m.files.kindsOf.image,
  openOne: texts.openPicture,
  showSeveral: texts.showPictures,
  noneInView: texts.noneInView,
};

const NO_CLUSTERS: MapClusters['clusters'] = [];

function toMapClusters({ clusters }: PictureClusters): MapClusters['clusters'] {
  return clusters.map(({ pictures, fileId, ...cluster }) => ({ ...cluster, records: pictures, recordId: fileId }));
}

interface PictureMapProps {
  selection: FileSelection;
  /** Includes pictures without a place; undefined if unknown. */
  total: number | undefined;
  onOpen: (fileId: string) => void;
}

export function PictureMap({ selection, total, onOpen }: PictureMapProps) {
  const extent = useQuery(pictureExtent(selection));
  if (extent.isPending || extent.isError) return <QueryBoundary query={extent} rows={8} height={32} />;
  const { bounds, pictures } = extent.data;
  if (bounds === null)
    return (
      <EmptyState icon={IconMapOff} title={texts.emptyTitle}>
        {texts.emptyText}
      </EmptyState>
    );
  const omittedCount = total === undefined ? 0 : total - pictures;
  return (
    <>
      <MapOfPlaces selection={selection} fullBounds={bounds} pictures={pictures} onOpen={onOpen} />
      {total !== undefined && omittedCount > 0 && (
        <Text c="dimmed" mt="sm">
          {texts.withoutPlace(omittedCount, total)}
        </Text>
      )}
    </>
  );
}

interface MapOfPlacesProps extends Omit<PictureMapProps, 'total'> {
  fullBounds: MapBounds;
  pictures: number;
}

function MapOfPlaces({ selection, fullBounds, pictures, onOpen }: MapOfPlacesProps) {
  const { ref, target, area, selectedPlace, ...map } = useMapView(fullBounds);
  const [showsList, setShowsList] = useState(false);
  const clusters = useQuery({ ...pictureClusters(selection, area), select: toMapClusters });
  const street = useStreetDetail();
  const shownClusters = clusters.data ?? NO_CLUSTERS;
  const title = texts.title(pictures);

  const openCluster = (cluster: MapCluster) => map.openCluster(cluster, onOpen);
  const list = (
    <PlaceList
      clusters={clusters.data}
      listTexts={LIST_TEXTS}
      onOpen={openCluster}
      onReset={map.showAll}
      isCurrent={!clusters.isPlaceholderData}
    />
  );
  return (
    <div ref={ref}>
      <Flex component="header" wrap="wrap" align="center" justify="space-between" gap="0.5rem 1rem" mb="md">
        <Text size="md" component="h2" fw={500}>
          {title}
        </Text>
        <Button
          variant="default"
          size="xs"
          leftSection={showsList ? <IconMap {...ICON_PROPS} /> : <IconTable {...ICON_PROPS} />}
          onClick={() => setShowsList(!showsList)}
        >
          {showsList ? m.charts.showDrawing.map : m.charts.showList}
        </Button>
      </Flex>
      {showsList && list}
      {!showsList && (
        <MapCanvas
          target={target}
          clusters={shownClusters}
          detail={street.detail}
          isLoading={clusters.isFetching}
          label={mapTexts.label(title)}
          isStatic={false}
          onArea={map.setArea}
          onMove={map.keepTarget}
          onCluster={openCluster}
          onDetailError={street.onTileError}
          onReset={map.showAll}
          list={list}
        />
      )}
      {clusters.isError && <LoadError error={clusters.error} retry={() => void clusters.refetch()} />}
      {selectedPlace !== undefined && (
        <Box mt="md">
          <PlacePictures selection={selection} place={selectedPlace} onOpen={onOpen} onClose={map.closePlace} />
        </Box>
      )}
      <DetailSection state={street} />
      <MapSources isStatic={false} detail={street.detail} />
    </div>
  );
}
