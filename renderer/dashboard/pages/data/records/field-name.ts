import type { Field } from '../../../../shared/api/contract.ts';

/** Unit of a duration at the end of a name. The value states its own units. */
const DURATION_UNIT = / (?:milliseconds|ms|seconds|secs?|minutes|mins?|hours)$/iu;

/**
 * Returns the display name of a field without the unit at its end: "Distance km" is "Distance" where the unit stands
 * beside the name or value. A name that the owner chose stays as it is.
 */
export function nameWithoutUnit({
  name,
  unit,
  type,
  corrected,
}: Omit<Field, 'path' | 'filled' | 'exceptions'>): string {
  if (corrected) return name;
  if (type === 'duration') return name.replace(DURATION_UNIT, '');
  const ending = ` ${unit.toLowerCase()}`;
  return unit !== '' && name.toLowerCase().endsWith(ending) ? name.slice(0, -ending.length) : name;
}
