import { isObject } from '../../../../wire/values.ts';

/* Accessors for third-party JSON. Values of an unexpected type count as missing. */

export type Fields = Readonly<Record<string, unknown>>;

const MAX_FIELD_CHARS = 100_000;

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : [];
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.slice(0, MAX_FIELD_CHARS).toWellFormed() : undefined;
/** Returns a finite number, which may be written as a string; undefined for any other value. */
export const numberIn = (value: unknown): number | undefined => {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
};
/** Coordinates in degrees. */
export type Coordinates = { latitude: number; longitude: number };
export const coordinatesOf = (latitude: number | undefined, longitude: number | undefined): Coordinates | undefined =>
  latitude === undefined || longitude === undefined || Math.abs(latitude) > 90 || Math.abs(longitude) > 180
    ? undefined
    : { latitude, longitude };
