import { isObject } from '../../../../../server/wire/values.ts';
import type { Field, TimelineItem } from '../../../../shared/api/contract.ts';
import { positionFields, type PositionFields } from '../../data/charts/map/position-fields.ts';
import { valueAt } from '../../data/records/columns.ts';

/** Position in degrees. */
export interface Place {
  latitude: number;
  longitude: number;
}

/** Members of GeoJSON that contain positions, or objects with positions. */
const GEOMETRY_MEMBERS = ['coordinates', 'geometry', 'geometries', 'features'];
/** Maximum depth of nested features and collections. Coordinates of a MultiPolygon are at depth 4. */
const MAX_DEPTH = 8;

/** Returns a number, also from its text; NaN for other values. */
function toNumber(value: unknown): number {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
}

/** Returns a place as a list; empty if the position is invalid. */
function validPlace(latitude: number, longitude: number): Place[] {
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [{ latitude, longitude }] : [];
}

/** Returns the positions of GeoJSON (RFC 7946). */
function geometryPlaces(value: unknown, depth = 0): Place[] {
  if (depth > MAX_DEPTH) return [];
  if (isObject(value)) return GEOMETRY_MEMBERS.flatMap((name) => geometryPlaces(value[name], depth + 1));
  if (!Array.isArray(value)) return [];
  const [longitude, latitude]: unknown[] = value;
  if (typeof longitude === 'number' && typeof latitude === 'number') return validPlace(latitude, longitude);
  return value.flatMap((item) => geometryPlaces(item, depth + 1));
}

function recordPlaces(data: unknown, { field, second }: PositionFields): Place[] {
  const value = valueAt(data, field.path);
  return second === undefined
    ? geometryPlaces(value)
    : validPlace(toNumber(value), toNumber(valueAt(data, second.path)));
}

/** Returns the positions of the records among items of one endpoint. @param fields fields of the endpoint */
export function placesOfItems(items: readonly TimelineItem[], fields: readonly Field[]): Place[] {
  const [position] = positionFields(fields);
  return items.flatMap((item): Place[] => {
    if (item.kind !== 'record') return [];
    const geo = item.entry?.location?.geo;
    if (geo != null) return validPlace(geo.latitude, geo.longitude);
    return position === undefined ? [] : recordPlaces(item.data, position);
  });
}
