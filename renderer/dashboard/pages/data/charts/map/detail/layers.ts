import type {
  ExpressionSpecification,
  FilterSpecification,
  LayerSpecification,
  LineLayerSpecification,
} from 'maplibre-gl';
import type { MapBounds } from '../../../../../../../server/wire/maps.ts';
import { type Features, ROADS, SCHEMAS } from './schemas.ts';
import type { VectorSchema } from './rules.ts';

/** Ids of the map sources: the tiles, and the rectangle that they cover. */
export const DETAIL_SOURCE = 'detail';
export const DETAIL_AREA_SOURCE = 'detail-area';
/** Layer that draws the rectangle as land, for tiles without land. */
export const LAND_AREA_LAYER = 'detail-land-area';

/** Colours in formats that MapLibre parses. */
export interface DetailColours {
  land: string;
  water: string;
  green: string;
  building: string;
  border: string;
  road: string;
  roadEdge: string;
  motorway: string;
  path: string;
  text: string;
}

/** Line width at two zoom levels. Between these levels, the width grows. */
type Growth = readonly [fromZoom: number, fromPx: number, toZoom: number, toPx: number];

const ROAD_STYLES: Readonly<
  Record<(typeof ROADS)[number], { width: Growth; minzoom: number; colour: 'path' | 'road' | 'motorway' | 'border' }>
> = {
  path: { width: [14, 0.75, 18, 2.5], minzoom: 14, colour: 'path' },
  rail: { width: [11, 0.5, 18, 2], minzoom: 11, colour: 'border' },
  street: { width: [12, 0.75, 18, 13], minzoom: 11, colour: 'road' },
  mainRoad: { width: [8, 0.75, 18, 18], minzoom: 7, colour: 'road' },
  motorway: { width: [5, 0.75, 18, 22], minzoom: 5, colour: 'motorway' },
};
/** Additional width of the edge, which is drawn below a road. */
const EDGE_PX = 1.5;
const STREET_NAMES_MIN_ZOOM = 13;
const BUILDINGS_MIN_ZOOM = 14;
/** Names in a map file have no length limit. */
const MAX_NAME_CHARS = 100;
/** Without `glyphs`, MapLibre draws all text in the browser, in system fonts. */
const FONT = ['system-ui', 'sans-serif'];

const growingWidth = ([fromZoom, fromPx, toZoom, toPx]: Growth, morePx = 0): ExpressionSpecification => [
  'interpolate',
  ['exponential', 1.6],
  ['zoom'],
  fromZoom,
  fromPx + morePx,
  toZoom,
  toPx + morePx,
];

/** Returns an expression for the name in a language, or else the local name. */
const nameIn = (language: string): ExpressionSpecification => [
  'slice',
  ['to-string', ['coalesce', ['get', `name:${language}`], ['get', 'name']]],
  0,
  MAX_NAME_CHARS,
];

const sourceOf = ({ layer, filter }: Features) => ({ source: DETAIL_SOURCE, 'source-layer': layer, filter });

const fill = (id: string, features: Features, colour: string, minzoom = 0): LayerSpecification => ({
  id: `detail-${id}`,
  type: 'fill',
  minzoom,
  ...sourceOf(features),
  paint: { 'fill-color': colour },
});

const line = (
  id: string,
  features: Features,
  { minzoom, ...paint }: NonNullable<LineLayerSpecification['paint']> & { minzoom: number },
): LayerSpecification => ({
  id: `detail-${id}`,
  type: 'line',
  minzoom,
  ...sourceOf(features),
  layout: { 'line-cap': 'round', 'line-join': 'round' },
  paint,
});

/**
 * Returns the layers of vector tiles, the lowest first.
 * @param minZoom lowest zoom level of the tiles
 */
export const vectorLayers = (
  schema: VectorSchema,
  { colours, minZoom, language }: { colours: DetailColours; minZoom: number; language: string },
): LayerSpecification[] => {
  const { land, green, water, rivers, buildings, roads, borders, streetNames, placeNames, placeRank } = SCHEMAS[schema];
  const name = nameIn(language);
  const textPaint = { 'text-color': colours.text, 'text-halo-color': colours.land, 'text-halo-width': 1.25 };
  return [
    land === undefined
      ? {
          id: LAND_AREA_LAYER,
          type: 'fill',
          minzoom: minZoom,
          source: DETAIL_AREA_SOURCE,
          paint: { 'fill-color': colours.land },
        }
      : fill('land', land, colours.land),
    ...green.map((features, index) => fill(`green-${index}`, features, colours.green)),
    fill('water', water, colours.water),
    line('rivers', rivers, { minzoom: 8, 'line-color': colours.water, 'line-width': growingWidth([8, 0.5, 18, 8]) }),
    fill('buildings', buildings, colours.building, BUILDINGS_MIN_ZOOM),
    ...(['street', 'mainRoad', 'motorway'] as const).map((road) =>
      line(`${road}-edge`, roads[road], {
        minzoom: ROAD_STYLES[road].minzoom,
        'line-color': colours.roadEdge,
        'line-width': growingWidth(ROAD_STYLES[road].width, EDGE_PX),
      }),
    ),
    ...ROADS.map((road) => {
      const { width, minzoom, colour } = ROAD_STYLES[road];
      return line(road, roads[road], {
        minzoom,
        'line-color': colours[colour],
        'line-width': growingWidth(width),
        ...(road === 'path' ? { 'line-dasharray': [2, 2] } : {}),
      });
    }),
    line('borders', borders, { minzoom: 0, 'line-color': colours.border, 'line-width': 0.75 }),
    {
      id: 'detail-street-names',
      type: 'symbol',
      minzoom: STREET_NAMES_MIN_ZOOM,
      ...sourceOf(streetNames),
      layout: { 'symbol-placement': 'line', 'text-field': name, 'text-font': FONT, 'text-size': 11 },
      paint: textPaint,
    },
    {
      id: 'detail-place-names',
      type: 'symbol',
      ...sourceOf(placeNames),
      layout: { 'text-field': name, 'text-font': FONT, 'text-size': 12, 'symbol-sort-key': placeRank },
      paint: textPaint,
    },
  ];
};

export const ringOf = ({ west, south, east, north }: MapBounds): [number, number][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];

export const RASTER_LAYERS: readonly LayerSpecification[] = [
  { id: 'detail-raster', type: 'raster', source: DETAIL_SOURCE },
];

/** Restricts a filter of bundled cities to those outside the map file's area, from the file's lowest zoom level on. */
export const citiesOutside = (cities: FilterSpecification, bounds: MapBounds, minZoom: number): FilterSpecification =>
  [
    'all',
    cities,
    ['any', ['<', ['zoom'], minZoom], ['!', ['within', { type: 'Polygon', coordinates: [ringOf(bounds)] }]]],
  ] as FilterSpecification;
