import type { ExpressionSpecification, StyleSpecification } from 'maplibre-gl';
import type { FeatureCollection, LineString, Point } from 'geojson';
import background from 'virtual:map-background';
import type { MapClusters, MapLines } from '../../../../../../server/wire/maps.ts';
import { currentLanguage } from '../../../../../shared/format/languages.ts';
import { shortCount } from './short-count.ts';

// The style combines the bundled outlines and names with the owner's records. It refers to no other host.

/** Colours in formats that MapLibre parses: hexadecimal or `rgb()`. */
export interface MapColours {
  water: string;
  land: string;
  border: string;
  text: string;
  records: string;
  lines: string;
  onRecords: string;
}

export const CLUSTERS = 'clusters';
export const LINES = 'lines';
/** Id of the city-name layer. Street detail is drawn below this layer. */
export const CITIES = 'cities';

/** Without `glyphs`, MapLibre draws all text in the browser, in system fonts. */
const FONT = ['system-ui', 'sans-serif'];

const EMPTY: FeatureCollection<never> = { type: 'FeatureCollection', features: [] };

const pointFeatures = (
  features: readonly { position: readonly number[]; properties: Record<string, string | number> }[],
) => ({
  type: 'FeatureCollection' as const,
  features: features.map(({ position, properties }) => ({
    type: 'Feature' as const,
    properties,
    geometry: { type: 'Point' as const, coordinates: [...position] },
  })),
});

function countryNames(): FeatureCollection<Point> {
  const names = new Intl.DisplayNames(currentLanguage(), { type: 'region', fallback: 'none' });
  return pointFeatures(
    background.countries.flatMap(({ code, position }, rank) => {
      const name = names.of(code);
      return name === undefined ? [] : [{ position, properties: { name, rank } }];
    }),
  );
}

/** Minimum population of labelled cities, by zoom level. */
const MIN_CITY_POPULATION: ExpressionSpecification = [
  'step',
  ['zoom'],
  5_000_000,
  4,
  1_000_000,
  5,
  500_000,
  6,
  250_000,
  7,
  0,
];

export const CITY_FILTER: ExpressionSpecification = ['>=', ['get', 'population'], MIN_CITY_POPULATION];

/** Number of labelled countries, largest first, by zoom level. */
const LABELLED_COUNTRY_COUNT: ExpressionSpecification = ['step', ['zoom'], 40, 2, 90, 3, 1000];

/** Radius in pixels, by record count. */
const CLUSTER_RADIUS: ExpressionSpecification = [
  'case',
  ['==', ['get', 'records'], 1],
  6,
  ['interpolate', ['linear'], ['log10', ['get', 'records']], 0, 9, 1, 13, 3, 20, 6, 28],
];

/** Returns the style of the map. The sources of the clusters and the lines are empty at first. */
export const mapStyle = (colours: MapColours): StyleSpecification => ({
  version: 8,
  sources: {
    land: { type: 'geojson', data: { type: 'MultiPolygon', coordinates: background.land } },
    borders: { type: 'geojson', data: { type: 'MultiLineString', coordinates: background.borders } },
    countries: { type: 'geojson', data: countryNames() },
    cities: {
      type: 'geojson',
      data: pointFeatures(
        background.cities.map(({ name, population, position }) => ({ position, properties: { name, population } })),
      ),
    },
    [LINES]: { type: 'geojson', data: EMPTY },
    [CLUSTERS]: { type: 'geojson', data: EMPTY },
  },
  layers: [
    { id: 'water', type: 'background', paint: { 'background-color': colours.water } },
    { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': colours.land } },
    { id: 'coast', type: 'line', source: 'land', paint: { 'line-color': colours.border, 'line-width': 0.75 } },
    { id: 'borders', type: 'line', source: 'borders', paint: { 'line-color': colours.border, 'line-width': 0.75 } },
    {
      id: CITIES,
      type: 'symbol',
      source: 'cities',
      minzoom: 3,
      filter: CITY_FILTER,
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'text-size': 12,
        'symbol-sort-key': ['-', ['get', 'population']],
      },
      paint: { 'text-color': colours.text, 'text-halo-color': colours.land, 'text-halo-width': 1.25 },
    },
    {
      id: 'countries',
      type: 'symbol',
      source: 'countries',
      maxzoom: 6,
      filter: ['<', ['get', 'rank'], LABELLED_COUNTRY_COUNT],
      layout: {
        'text-field': ['get', 'name'],
        'text-font': FONT,
        'text-size': 12,
        'text-letter-spacing': 0.06,
        'symbol-sort-key': ['get', 'rank'],
      },
      paint: { 'text-color': colours.text, 'text-halo-color': colours.land, 'text-halo-width': 1.25 },
    },
    {
      id: 'lines',
      type: 'line',
      source: LINES,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': colours.lines, 'line-width': 2.5 },
    },
    {
      id: 'clusters',
      type: 'circle',
      source: CLUSTERS,
      paint: {
        'circle-color': colours.records,
        'circle-radius': CLUSTER_RADIUS,
        'circle-stroke-color': colours.land,
        'circle-stroke-width': 1.5,
      },
    },
    {
      id: 'cluster-counts',
      type: 'symbol',
      source: CLUSTERS,
      filter: ['>', ['get', 'records'], 1],
      layout: {
        'text-field': ['get', 'label'],
        'text-font': FONT,
        'text-size': 12,
        'text-allow-overlap': true,
        'text-ignore-placement': true,
      },
      paint: { 'text-color': colours.onRecords },
    },
  ],
});

/** Converts clusters to GeoJSON. The property `index` is the position in `clusters`. */
export const clusterFeatures = (clusters: MapClusters['clusters']): FeatureCollection<Point> =>
  pointFeatures(
    clusters.map(({ longitude, latitude, records }, index) => ({
      position: [longitude, latitude],
      properties: { index, records, label: shortCount(records) },
    })),
  );

export const lineFeatures = (lines: MapLines['lines']): FeatureCollection<LineString> => ({
  type: 'FeatureCollection',
  features: lines.map((coordinates) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'LineString', coordinates },
  })),
});
