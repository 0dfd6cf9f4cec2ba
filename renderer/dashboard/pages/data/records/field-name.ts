import type { Field } from '../../../../shared/api/contract.ts';

/** Matches a time unit at the end of a name. Formatted durations state their unit themselves. */
const DURATION_UNIT = / (?:milliseconds|ms|seconds|secs?|minutes|mins?|hours)$/iu;

/**
 * Returns the display name of a field without the unit at its end: "Distance km" becomes "Distance", because the unit
 * is shown beside the name or value. A name that the owner chose is not changed.
 */
export function nameWithoutUnit({
  name,
  unit,
  type,
  corrected,
}: Pick<Field, 'name' | 'unit' | 'type' | 'corrected'>): string {
  if (corrected) return name;
  if (type === 'duration') return name.replace(DURATION_UNIT, '');
  const ending = ` ${unit.toLowerCase()}`;
  return unit !== '' && name.toLowerCase().endsWith(ending) ? name.slice(0, -ending.length) : name;
}
