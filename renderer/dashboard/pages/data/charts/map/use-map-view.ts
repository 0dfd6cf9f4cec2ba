import { useElementSize } from '@mantine/hooks';
import { type Ref, useState } from 'react';
import type { MapBounds, MapClusters } from '../../../../../../server/wire/maps.ts';
import type { MapArea } from '../../../../api/maps.ts';
import { areaOfBounds, isOnePlace } from './map-area.ts';

const DEFAULT_WIDTH_PX = 600;

export type MapCluster = MapClusters['clusters'][number];

interface MapView {
  /** Ref of the element whose width determines the zoom level of the first area. */
  ref: Ref<HTMLDivElement>;
  /** The map moves to these bounds when they change. */
  target: MapBounds;
  /** Area to request: the map's, or the target's until the map has reported its own. */
  area: MapArea;
  setArea: (area: MapArea) => void;
  /** Keeps the target when the full bounds change. Must be called when the owner moves the map. */
  keepTarget: () => void;
  showAll: () => void;
  /** Cluster at a single place, whose items are listed because zooming in would not separate them. */
  selectedPlace: MapCluster | undefined;
  closePlace: () => void;
  /** Opens the only item of a cluster, lists the items of one place, or moves the map to the cluster. */
  openCluster: (cluster: MapCluster, openItem: (id: string) => void) => void;
}

/** @param fullBounds bounds that the map shows until the owner moves it */
export function useMapView(fullBounds: MapBounds): MapView {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [chosenTarget, setChosenTarget] = useState<MapBounds>();
  const target = chosenTarget ?? fullBounds;
  const [report, setReport] = useState<{ target: MapBounds; area: MapArea }>();
  const [selectedPlace, setSelectedPlace] = useState<MapCluster>();
  const showBounds = (bounds: MapBounds) => {
    setSelectedPlace(undefined);
    // A new object, so that the map also moves if the bounds equal the current target.
    setChosenTarget({ ...bounds });
  };
  return {
    ref,
    target,
    area: report?.target === target ? report.area : areaOfBounds(target, width === 0 ? DEFAULT_WIDTH_PX : width),
    setArea: (area) => setReport({ target, area }),
    keepTarget: () => setChosenTarget(target),
    showAll: () => showBounds(fullBounds),
    selectedPlace,
    closePlace: () => setSelectedPlace(undefined),
    openCluster: (cluster, openItem) => {
      if (cluster.recordId !== null) openItem(cluster.recordId);
      else if (isOnePlace(cluster.bounds)) setSelectedPlace(cluster);
      else showBounds(cluster.bounds);
    },
  };
}
