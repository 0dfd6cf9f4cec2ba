import { isObject } from '../../../../wire/values.ts';

/** Accessors for third-party JSON. Values of an unexpected type count as missing. */

export type Fields = Readonly<Record<string, unknown>>;

export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : [];
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.slice(0, 100_000).toWellFormed() : undefined;
/** Returns a number, also if it is written as text. */
export const numberIn = (value: unknown): number | undefined => {
  const number =
    typeof value === 'number' ? value : typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
};
/** Coordinates in degrees. */
export type Place = { latitude: number; longitude: number };
export const placeAt = (latitude: number | undefined, longitude: number | undefined): Place | undefined =>
  latitude === undefined || longitude === undefined || Math.abs(latitude) > 90 || Math.abs(longitude) > 180
    ? undefined
    : { latitude, longitude };
