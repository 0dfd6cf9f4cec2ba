import { ActionIcon, Tooltip, useComputedColorScheme } from '@mantine/core';
import { IconMapOff, IconMinus, IconPlus, IconZoomReset } from '@tabler/icons-react';
import { type GeoJSONSource, type LngLatBoundsLike, Map as MapLibreMap, setWorkerUrl } from 'maplibre-gl';
import 'maplibre-gl/dist/maplibre-gl.css';
import workerUrl from 'maplibre-gl/dist/maplibre-gl-worker.mjs?worker&url';
import { type ReactNode, useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import type { MapBounds, MapClusters, MapLines } from '../../../../../../server/wire/maps.ts';
import { EmptyState } from '../../../../../shared/feedback/states.tsx';
import { m } from '../../../../../shared/messages/texts.ts';
import { DETAIL_SOURCE } from './detail/layers.ts';
import { showDetail } from './detail/show-detail.ts';
import type { StreetDetail } from './detail/street-detail.ts';
import type { MapArea } from '../../../../api/maps.ts';
import { areaOfView } from './map-area.ts';
import { CLUSTERS, LINES, type MapColours, clusterFeatures, lineFeatures, mapStyle } from './map-style.ts';
import classes from './map.module.css';

const texts = m.charts.map;
const ICON_PROPS = { size: 16, stroke: 1.6 };
const MAX_ZOOM = 17;
/** Maximum initial zoom level, which limits the zoom on a single place. */
const MAX_FIT_ZOOM = 11;
const FIT_PADDING_PX = 48;
const NO_LINES: MapLines['lines'] = [];

setWorkerUrl(workerUrl);

interface MapCanvasProps {
  /** The map shows these bounds at first, and moves to them when they change. */
  target: MapBounds;
  clusters: MapClusters['clusters'];
  lines?: MapLines['lines'] | undefined;
  detail: StreetDetail | undefined;
  isLoading: boolean;
  label: string;
  /** True for a map that cannot be moved or zoomed and has no buttons. */
  isStatic: boolean;
  onArea: (area: MapArea) => void;
  /** Called when the owner begins to move or zoom the map. */
  onMove: () => void;
  onCluster: (cluster: MapClusters['clusters'][number]) => void;
  onDetailError: () => void;
  onReset: () => void;
  /** Equivalent list for browsers that cannot draw the map. If it is null, nothing is shown instead. */
  list: ReactNode;
}

export function MapCanvas(props: MapCanvasProps) {
  const scheme = useComputedColorScheme('light');
  const [isSupported] = useState(hasWebGl2);
  if (!isSupported) return props.list === null ? null : <UnavailableMap list={props.list} />;
  // Redraws the map when the colours change.
  return <ColouredMap key={scheme} {...props} />;
}

function ColouredMap(props: MapCanvasProps) {
  const { target, clusters, lines = NO_LINES, detail, isLoading, label, isStatic, onReset } = props;
  const container = useRef<HTMLDivElement>(null);
  const [map, setMap] = useState<MapLibreMap>();
  const [isDrawing, setIsDrawing] = useState(true);
  const reportArea = useEffectEvent(props.onArea);
  const reportMove = useEffectEvent(props.onMove);
  const openCluster = useEffectEvent((index: unknown) => {
    const cluster = typeof index === 'number' ? clusters[index] : undefined;
    if (cluster !== undefined) props.onCluster(cluster);
  });
  const reportDetailError = useEffectEvent(props.onDetailError);
  const firstTarget = useEffectEvent(() => target);
  const zoom = (direction: 'zoomIn' | 'zoomOut') => {
    props.onMove();
    map?.[direction]();
  };

  useEffect(() => {
    const element = container.current;
    if (element === null) return undefined;
    const newMap = createMap(element, { label, isStatic, target: firstTarget() });
    const report = () => reportArea(areaOfMap(newMap));
    newMap.on('moveend', report);
    // Only movements by mouse, touch or keyboard have a browser event; a movement to the target has none.
    newMap.on('movestart', ({ originalEvent }) => {
      if (originalEvent !== undefined) reportMove();
    });
    newMap.on('load', () => {
      report();
      setMap(newMap);
    });
    newMap.on('dataloading', () => setIsDrawing(true));
    newMap.on('idle', () => setIsDrawing(false));
    newMap.on('error', (event) => {
      // Other errors are logged, as MapLibre does without a listener.
      if ('sourceId' in event && event.sourceId === DETAIL_SOURCE) reportDetailError();
      else console.error(event.error);
    });
    newMap.on('click', 'clusters', ({ features }) => openCluster(features?.[0]?.properties['index']));
    newMap.on('mouseenter', 'clusters', () => newMap.getCanvas().classList.add(classes.pointerCursor ?? ''));
    newMap.on('mouseleave', 'clusters', () => newMap.getCanvas().classList.remove(classes.pointerCursor ?? ''));
    return () => {
      setMap(undefined);
      newMap.remove();
    };
  }, [label, isStatic]);

  // Layout effects set all content in the same commit, so that `aria-busy` stays true until the content is drawn.
  useLayoutEffect(() => {
    map?.fitBounds(toLngLatBounds(target), { padding: FIT_PADDING_PX, maxZoom: maxFitZoom(map), linear: true });
  }, [map, target]);
  useLayoutEffect(() => {
    void map?.getSource<GeoJSONSource>(CLUSTERS)?.setData(clusterFeatures(clusters));
  }, [map, clusters]);
  useLayoutEffect(() => {
    void map?.getSource<GeoJSONSource>(LINES)?.setData(lineFeatures(lines));
  }, [map, lines]);
  useLayoutEffect(
    () => (map === undefined || detail === undefined ? undefined : showDetail(map, detail)),
    [map, detail],
  );

  return (
    <div className={classes.frame} data-static={isStatic || undefined} aria-busy={isLoading || isDrawing}>
      <div ref={container} className={classes.canvas} />
      {!isStatic && (
        <div className={classes.buttons}>
          <MapButton label={texts.zoomIn} onClick={() => zoom('zoomIn')}>
            <IconPlus {...ICON_PROPS} />
          </MapButton>
          <MapButton label={texts.zoomOut} onClick={() => zoom('zoomOut')}>
            <IconMinus {...ICON_PROPS} />
          </MapButton>
          <MapButton label={texts.showAll} onClick={onReset}>
            <IconZoomReset {...ICON_PROPS} />
          </MapButton>
        </div>
      )}
    </div>
  );
}

function UnavailableMap({ list }: { list: ReactNode }) {
  return (
    <>
      <EmptyState icon={IconMapOff} title={texts.unavailable}>
        {texts.unavailableText}
      </EmptyState>
      {list}
    </>
  );
}

function MapButton({ label, onClick, children }: { label: string; onClick: () => void; children: ReactNode }) {
  return (
    <Tooltip label={label} position="left">
      <ActionIcon variant="default" size={36} aria-label={label} onClick={onClick}>
        {children}
      </ActionIcon>
    </Tooltip>
  );
}

function hasWebGl2(): boolean {
  const context = document.createElement('canvas').getContext('webgl2');
  // Browsers limit the number of WebGL contexts.
  context?.getExtension('WEBGL_lose_context')?.loseContext();
  return context !== null;
}

function createMap(
  container: HTMLElement,
  { label, isStatic, target }: { label: string; isStatic: boolean; target: MapBounds },
): MapLibreMap {
  const map = new MapLibreMap({
    container,
    style: mapStyle(coloursOf(container)),
    bounds: toLngLatBounds(target),
    fitBoundsOptions: { padding: isStatic ? FIT_PADDING_PX / 2 : FIT_PADDING_PX, maxZoom: MAX_FIT_ZOOM },
    maxZoom: MAX_ZOOM,
    interactive: !isStatic,
    attributionControl: false,
    dragRotate: false,
    pitchWithRotate: false,
    touchPitch: false,
    // The wheel and one finger scroll the page. The wheel with a key zooms the map, and two fingers move it.
    cooperativeGestures: true,
    locale: {
      'Map.Title': label,
      'CooperativeGesturesHandler.WindowsHelpText': texts.withKey,
      'CooperativeGesturesHandler.MacHelpText': texts.withMacKey,
      'CooperativeGesturesHandler.MobileHelpText': texts.twoFingers,
    },
  });
  map.touchZoomRotate.disableRotation();
  map.keyboard.disableRotation();
  return map;
}

/** Returns the maximum zoom level of the next view: a selected place may need a closer view than all records. */
function maxFitZoom(map: MapLibreMap): number {
  return Math.min(MAX_ZOOM, Math.max(MAX_FIT_ZOOM, map.getZoom() + 3));
}

function toLngLatBounds({ west, south, east, north }: MapBounds): LngLatBoundsLike {
  return [west, south, east < west ? east + 360 : east, north];
}

function areaOfMap(map: MapLibreMap): MapArea {
  const bounds = map.getBounds();
  return areaOfView(
    { west: bounds.getWest(), south: bounds.getSouth(), east: bounds.getEast(), north: bounds.getNorth() },
    map.getZoom(),
  );
}

function coloursOf(element: HTMLElement): MapColours {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  return {
    water: colour('--map-water'),
    land: colour('--map-land'),
    border: colour('--map-border'),
    text: colour('--ink-soft'),
    records: colour('--map-records'),
    onRecords: colour('--map-on-records'),
    lines: colour('--chart-out'),
  };
}
