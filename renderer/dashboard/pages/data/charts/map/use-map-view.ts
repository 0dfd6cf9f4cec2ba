import { useElementSize } from '@mantine/hooks';
import { type Ref, useState } from 'react';
import type { MapBounds } from '../../../../../../server/wire/maps.ts';
import { type MapArea, areaOfBounds } from './map-area.ts';

/** Width of a map before it is measured, in pixels. */
const DEFAULT_WIDTH_PX = 600;

/** What a map shows. */
interface MapView {
  /** For the element with the map, whose width determines the zoom level. */
  ref: Ref<HTMLDivElement>;
  /** Bounds that the map moves to when they change. */
  target: MapBounds;
  /** Area to request: that of the map, or that of the target until the map has reported one. */
  area: MapArea;
  setArea: (area: MapArea) => void;
  /** Keeps the target when the full bounds change; to be called when the owner moves the map. */
  keepTarget: () => void;
  /** Moves the map, also back to bounds that are the target already. */
  showBounds: (bounds: MapBounds) => void;
}

/**
 * Returns the state of the view of a map.
 * @param fullBounds bounds that the map shows until the owner moves it
 */
export function useMapView(fullBounds: MapBounds): MapView {
  const { ref, width } = useElementSize<HTMLDivElement>();
  const [chosenTarget, setChosenTarget] = useState<MapBounds>();
  const target = chosenTarget ?? fullBounds;
  const [shown, setShown] = useState<{ target: MapBounds; area: MapArea }>();
  return {
    ref,
    target,
    area: shown?.target === target ? shown.area : areaOfBounds(target, width === 0 ? DEFAULT_WIDTH_PX : width),
    setArea: (area) => setShown({ target, area }),
    keepTarget: () => setChosenTarget(target),
    // A new object, so that the map also returns to bounds that are the target already.
    showBounds: (bounds) => setChosenTarget({ ...bounds }),
  };
}
