import { featureFilter, validateStyleMin } from '@maplibre/maplibre-gl-style-spec';
import type { FilterSpecification } from 'maplibre-gl';
import { describe, expect, it } from 'vitest';
import {
  citiesOutside,
  DETAIL_SOURCE,
  DETAIL_AREA_SOURCE,
  type DetailColours,
  LAND_AREA_LAYER,
  vectorLayers,
} from './layers.ts';
import { SCHEMAS } from './schemas.ts';

const COLOUR = '#123456';
const colours: DetailColours = {
  land: COLOUR,
  water: COLOUR,
  green: COLOUR,
  building: COLOUR,
  border: COLOUR,
  road: COLOUR,
  roadEdge: COLOUR,
  motorway: COLOUR,
  path: COLOUR,
  text: COLOUR,
};
const layersOf = (schema: keyof typeof SCHEMAS) => vectorLayers(schema, { colours, minZoom: 4, language: 'de' });

const POINT = 1;
const LINE = 2;
const POLYGON = 3;
const ROOT_KEY = 'layers[0].filter';
const accepts = (filter: FilterSpecification, type: 1 | 2 | 3, properties: Record<string, unknown>): boolean =>
  featureFilter(filter, ROOT_KEY).filter({ zoom: 10 }, { type, properties });

describe.each(['protomaps', 'openMapTiles'] as const)('layers for the schema %s', (schema) => {
  it('form a valid style and refer to no URLs, sprites or glyphs', () => {
    const style = {
      version: 8 as const,
      sources: {
        [DETAIL_SOURCE]: { type: 'vector' as const, tiles: ['pmtiles://file/{z}/{x}/{y}'] },
        [DETAIL_AREA_SOURCE]: { type: 'geojson' as const, data: { type: 'FeatureCollection' as const, features: [] } },
      },
      layers: layersOf(schema),
    };
    expect(validateStyleMin(style)).toEqual([]);
    expect(JSON.stringify(style.layers)).not.toMatch(/https?:|sprite|glyphs|icon-image/u);
  });

  it('have unique ids', () => {
    const ids = layersOf(schema).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('schema features', () => {
  it('are recognised by kind and geometry', () => {
    const { protomaps, openMapTiles } = SCHEMAS;
    expect(accepts(protomaps.roads.motorway.filter, LINE, { kind: 'highway' })).toBe(true);
    expect(accepts(protomaps.roads.street.filter, LINE, { kind: 'highway' })).toBe(false);
    expect(accepts(protomaps.water.filter, POLYGON, {})).toBe(true);
    expect(accepts(protomaps.water.filter, LINE, { kind: 'river' })).toBe(false);
    expect(accepts(protomaps.rivers.filter, LINE, { kind: 'river' })).toBe(true);
    expect(accepts(openMapTiles.roads.mainRoad.filter, LINE, { class: 'primary' })).toBe(true);
    expect(accepts(openMapTiles.borders.filter, LINE, { admin_level: 2, maritime: 0 })).toBe(true);
    expect(accepts(openMapTiles.borders.filter, LINE, { admin_level: 4, maritime: 0 })).toBe(false);
  });

  it('with unknown values are omitted', () => {
    for (const value of [undefined, null, 7, true, ''])
      expect(accepts(SCHEMAS.protomaps.roads.motorway.filter, LINE, { kind: value })).toBe(false);
  });
});

it('draws the whole area of the file as land only if the schema has no land', () => {
  expect(layersOf('protomaps').map(({ id }) => id)).not.toContain(LAND_AREA_LAYER);
  expect(layersOf('openMapTiles')[0]).toMatchObject({ id: LAND_AREA_LAYER, minzoom: 4 });
});

it('hides bundled city names within the file’s area, from its lowest zoom level on', () => {
  const cities: FilterSpecification = ['>=', ['get', 'population'], 1000];
  const { filter } = featureFilter(citiesOutside(cities, { west: 13, south: 52, east: 14, north: 53 }, 5), ROOT_KEY);
  /** Positions in the tile 0/0/0, which is 8192 units wide: 13.5° E and 10° E, at 52.5° N. */
  const [INSIDE, OUTSIDE] = [4403, 4324];
  const isShown = (zoom: number, x: number, population: number): boolean =>
    filter(
      { zoom },
      { type: POINT, properties: { population }, geometry: [[{ x, y: 2688 }]] } as never,
      {
        z: 0,
        x: 0,
        y: 0,
      } as never,
    );
  expect(isShown(5, INSIDE, 1000)).toBe(false);
  expect(isShown(4, INSIDE, 1000)).toBe(true);
  expect(isShown(5, OUTSIDE, 1000)).toBe(true);
  expect(isShown(5, OUTSIDE, 999)).toBe(false);
});
