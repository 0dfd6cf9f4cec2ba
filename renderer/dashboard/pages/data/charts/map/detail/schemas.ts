import type { ExpressionSpecification, FilterSpecification } from 'maplibre-gl';
import type { VectorSchema } from './rules.ts';

export interface Features {
  layer: string;
  filter: FilterSpecification;
}

/** Road kinds, in drawing order. */
export const ROADS = ['path', 'rail', 'street', 'mainRoad', 'motorway'] as const;

interface SchemaFeatures {
  /** Undefined if the schema has no land layer. */
  land: Features | undefined;
  green: readonly Features[];
  water: Features;
  rivers: Features;
  buildings: Features;
  roads: Record<(typeof ROADS)[number], Features>;
  borders: Features;
  streetNames: Features;
  placeNames: Features;
  /** Priority of place names that overlap: the lowest number is placed first. */
  placeRank: ExpressionSpecification;
}

const oneOf = (property: string, values: readonly string[]): ExpressionSpecification => [
  'in',
  ['get', property],
  ['literal', [...values]],
];
/** Line layers can also contain polygons, and polygon layers can also contain lines. */
const isPolygon: ExpressionSpecification = ['==', ['geometry-type'], 'Polygon'];
const isLine: ExpressionSpecification = ['==', ['geometry-type'], 'LineString'];
const features = (layer: string, filter: FilterSpecification): Features => ({ layer, filter });

const PROTOMAPS_GREEN = [
  'park',
  'forest',
  'wood',
  'national_park',
  'nature_reserve',
  'protected_area',
  'cemetery',
  'golf_course',
  'grass',
  'grassland',
  'meadow',
  'scrub',
  'village_green',
  'allotments',
  'garden',
  'recreation_ground',
];
const OPEN_MAP_TILES_GREEN = ['wood', 'grass', 'wetland'];
const MAIN_ROADS = ['trunk', 'primary', 'secondary'];
const STREETS = ['tertiary', 'minor', 'service', 'busway'];

const featuresOfKind = (layer: string, ...values: string[]): Features => features(layer, oneOf('kind', values));
const featuresOfClass = (layer: string, ...values: string[]): Features => features(layer, oneOf('class', values));

export const SCHEMAS: Readonly<Record<VectorSchema, SchemaFeatures>> = {
  protomaps: {
    land: features('earth', isPolygon),
    green: [features('landuse', ['all', isPolygon, oneOf('kind', PROTOMAPS_GREEN)])],
    water: features('water', isPolygon),
    rivers: features('water', isLine),
    buildings: features('buildings', isPolygon),
    roads: {
      path: featuresOfKind('roads', 'path'),
      rail: featuresOfKind('roads', 'rail'),
      street: featuresOfKind('roads', 'minor_road'),
      mainRoad: featuresOfKind('roads', 'major_road'),
      motorway: featuresOfKind('roads', 'highway'),
    },
    borders: featuresOfKind('boundaries', 'country'),
    streetNames: featuresOfKind('roads', 'minor_road', 'major_road', 'highway', 'path'),
    placeNames: featuresOfKind('places', 'locality', 'neighbourhood'),
    placeRank: ['-', ['to-number', ['get', 'population_rank'], 0]],
  },
  openMapTiles: {
    land: undefined,
    green: [
      features('landcover', ['all', isPolygon, oneOf('class', OPEN_MAP_TILES_GREEN)]),
      features('park', isPolygon),
      features('landuse', ['all', isPolygon, oneOf('class', ['cemetery'])]),
    ],
    water: features('water', isPolygon),
    rivers: features('waterway', isLine),
    buildings: features('building', isPolygon),
    roads: {
      path: featuresOfClass('transportation', 'path', 'track'),
      rail: featuresOfClass('transportation', 'rail', 'transit'),
      street: featuresOfClass('transportation', ...STREETS),
      mainRoad: featuresOfClass('transportation', ...MAIN_ROADS),
      motorway: featuresOfClass('transportation', 'motorway'),
    },
    borders: features('boundary', ['all', isLine, ['==', ['get', 'admin_level'], 2], ['!=', ['get', 'maritime'], 1]]),
    streetNames: featuresOfClass('transportation_name', 'motorway', ...MAIN_ROADS, ...STREETS, 'path', 'track'),
    placeNames: featuresOfClass('place', 'city', 'town', 'village', 'hamlet', 'suburb', 'quarter', 'neighbourhood'),
    placeRank: ['to-number', ['get', 'rank'], 0],
  },
};
