import type { Map as MapLibreMap } from 'maplibre-gl';
import { currentLanguage } from '../../../../../../shared/format/languages.ts';
import { CITIES, CITY_FILTER } from '../map-style.ts';
import {
  citiesOutside,
  ringOf,
  DETAIL_SOURCE,
  DETAIL_AREA_SOURCE,
  LAND_AREA_LAYER,
  type DetailColours,
  RASTER_LAYERS,
  vectorLayers,
} from './layers.ts';
import type { StreetDetail } from './street-detail.ts';

/** @returns a function that removes the street detail */
export function showDetail(map: MapLibreMap, detail: StreetDetail): () => void {
  const { source, schema, bounds, minZoom } = detail;
  let isMapRemoved = false;
  const onRemove = () => {
    isMapRemoved = true;
  };
  map.once('remove', onRemove);
  map.addSource(DETAIL_SOURCE, source);
  if (bounds !== undefined) {
    const area = { type: 'Polygon' as const, coordinates: [ringOf(bounds)] };
    map.addSource(DETAIL_AREA_SOURCE, { type: 'geojson', data: area });
    map.setFilter(CITIES, citiesOutside(CITY_FILTER, bounds, minZoom));
  }
  const layers =
    schema === 'raster'
      ? RASTER_LAYERS
      : vectorLayers(schema, { colours: coloursOf(map.getContainer()), minZoom, language: currentLanguage() });
  const drawnLayers = layers.filter(({ id }) => bounds !== undefined || id !== LAND_AREA_LAYER);
  for (const layer of drawnLayers) map.addLayer(layer, CITIES);

  return () => {
    if (isMapRemoved) return;
    map.off('remove', onRemove);
    for (const { id } of drawnLayers) map.removeLayer(id);
    map.removeSource(DETAIL_SOURCE);
    if (bounds === undefined) return;
    map.removeSource(DETAIL_AREA_SOURCE);
    map.setFilter(CITIES, CITY_FILTER);
  };
}

function coloursOf(element: HTMLElement): DetailColours {
  const style = getComputedStyle(element);
  const colour = (name: string): string => style.getPropertyValue(name).trim();
  return {
    land: colour('--map-land'),
    water: colour('--map-water'),
    green: colour('--map-green'),
    building: colour('--map-building'),
    border: colour('--map-border'),
    road: colour('--map-road'),
    roadEdge: colour('--map-road-edge'),
    motorway: colour('--map-motorway'),
    path: colour('--map-path'),
    text: colour('--ink-soft'),
  };
}
