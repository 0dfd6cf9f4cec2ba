import { feature } from 'topojson-client';
import type { Arc, GeometryCollection, GeometryObject, Topology, Transform } from 'topojson-specification';
import { isObject } from '../../../../wire/values.ts';
import { TOPOLOGY_RECORD_MAX_COORDINATES } from '../../../../wire/work-limits.ts';
import { MAX_ELEMENT_BYTES } from '../tabular/element-source.ts';
import { memberTextsOf, recordOfFeature } from '../tabular/json-columns.ts';

/** Thrown for a geometry that cannot become a record. The message begins in lower case. */
export class BrokenGeometry extends Error {}

export interface TopologyArcs {
  /** The topology without its objects. */
  readonly topology: Topology;
  /** Number of coordinates of each arc; undefined if the arc is invalid. */
  readonly sizes: readonly (number | undefined)[];
}

/** A ring is closed and has at least three corners, so it has at least four positions of two coordinates each. */
const MIN_RING_COORDINATES = 8;

/** Nesting of the arc indexes of a geometry, by its type. The innermost lists are lines and rings. */
const ARC_INDEX_DEPTHS = new Map<unknown, number>([
  ['LineString', 1],
  ['MultiLineString', 2],
  ['Polygon', 2],
  ['MultiPolygon', 3],
]);

const CONVERTED_MEMBERS = new Set(['type', 'properties', 'geometry', 'arcs', 'coordinates', 'geometries']);

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isPosition = (value: unknown): value is number[] =>
  Array.isArray(value) && value.length >= 2 && value.every(isNumber);
const isPair = (value: unknown): value is [number, number] => isPosition(value) && value.length === 2;
const isTransform = (value: unknown): value is Transform =>
  isObject(value) && isPair(value['scale']) && isPair(value['translate']);

/** Returns the number of coordinates of an arc; undefined if it is empty or not a list of positions. */
const sizeOfArc = (arc: unknown): number | undefined => {
  if (!Array.isArray(arc) || arc.length === 0) return undefined;
  let size = 0;
  for (const position of arc) {
    if (!isPosition(position)) return undefined;
    size += position.length;
  }
  return size;
};

/** Returns the arcs with their sizes; undefined if `arcs` is not a list or the transform is invalid. */
export const topologyArcsOf = (arcs: unknown, transform: unknown): TopologyArcs | undefined => {
  if (!Array.isArray(arcs)) return undefined;
  const topology: Topology = { type: 'Topology', objects: {}, arcs: arcs as Arc[] };
  const sizes = arcs.map((arc) => sizeOfArc(arc));
  if (transform === undefined || transform === null) return { topology, sizes };
  return isTransform(transform) ? { topology: { ...topology, transform }, sizes } : undefined;
};

/** @throws BrokenGeometry if the value is not a list, or if the sum exceeds the limit */
const sumOfSizes = (list: unknown, sizeOfItem: (item: unknown) => number): number => {
  if (!Array.isArray(list)) throw new BrokenGeometry('one of its lists is missing or invalid');
  let sum = 0;
  for (const item of list) {
    sum += sizeOfItem(item);
    if (sum > TOPOLOGY_RECORD_MAX_COORDINATES)
      throw new BrokenGeometry(`it has more than ${TOPOLOGY_RECORD_MAX_COORDINATES} coordinates`);
  }
  return sum;
};

const sizeOfPosition = (position: unknown): number => {
  if (!isPosition(position)) throw new BrokenGeometry('one of its positions is not a list of at least two numbers');
  return position.length;
};

/**
 * Returns the size of the arcs to which indexes refer; for each line, at least the size of a ring. Negative indexes
 * refer to reversed arcs: -1 to the first.
 */
const sizeOfArcIndexes = (indexes: unknown, depth: number, sizes: TopologyArcs['sizes']): number => {
  if (depth > 0) {
    const size = sumOfSizes(indexes, (item) => sizeOfArcIndexes(item, depth - 1, sizes));
    if (depth > 1) return size;
    if (size === 0) throw new BrokenGeometry('one of its lines is empty');
    return Math.max(size, MIN_RING_COORDINATES);
  }
  if (!isNumber(indexes)) throw new BrokenGeometry('one of its arc indexes is not a number');
  const size = sizes[indexes < 0 ? -1 - indexes : indexes];
  if (size === undefined) throw new BrokenGeometry(`the arc ${indexes} is missing or invalid`);
  return size;
};

const sizeOfShape = (shape: unknown, sizes: TopologyArcs['sizes']): number => {
  if (!isObject(shape)) throw new BrokenGeometry('it is not an object');
  const { type, coordinates, arcs, geometries } = shape;
  if (type === 'Point') return sizeOfPosition(coordinates);
  if (type === 'MultiPoint') return sumOfSizes(coordinates, sizeOfPosition);
  if (type === 'GeometryCollection') return sumOfSizes(geometries, (member) => sizeOfShape(member, sizes));
  const depth = ARC_INDEX_DEPTHS.get(type);
  if (depth === undefined) throw new BrokenGeometry('its type is unknown');
  return sizeOfArcIndexes(arcs, depth, sizes);
};

/**
 * Checks a geometry, and returns the most coordinates that it can have with its arcs inserted, without inserting them.
 * @throws BrokenGeometry for an invalid geometry, or one above the limit
 */
export const sizeOfGeometry = (geometry: unknown, sizes: TopologyArcs['sizes']): number =>
  isObject(geometry) && geometry['type'] === null ? 0 : sizeOfShape(geometry, sizes);

/**
 * Returns the JSON text of a record: the properties of a geometry, its other members such as `id`, and its shape in
 * GeoJSON as `geometry`.
 * @param geometry the parsed text, checked by `sizeOfGeometry`
 * @throws BrokenGeometry if the coordinates overflow or the record is too large
 */
export const recordOfGeometry = (text: string, geometry: GeometryObject, topology: Topology): string => {
  // Within a collection, a geometry stays one feature even if it is a collection itself.
  const collection: GeometryCollection = { type: 'GeometryCollection', geometries: [geometry] };
  const [converted] = feature(topology, collection).features;
  const shape: unknown = converted?.geometry ?? null;
  const shapeText = JSON.stringify(shape);
  // JSON has no infinite numbers, so they become null.
  if (shape !== null && shapeText.includes('null')) throw new BrokenGeometry('its coordinates are too large');
  const members = memberTextsOf(text);
  const otherMembers = [...members]
    .filter(([name]) => !CONVERTED_MEMBERS.has(name))
    .map(([name, value]) => `${JSON.stringify(name)}:${value},`);
  const properties = members.get('properties') ?? 'null';
  const record = recordOfFeature(
    `{"type":"Feature","properties":${properties},${otherMembers.join('')}"geometry":${shapeText}}`,
  );
  if (Buffer.byteLength(record) > MAX_ELEMENT_BYTES)
    throw new BrokenGeometry(`its record is larger than ${MAX_ELEMENT_BYTES / 1_000_000} MB`);
  return record;
};
