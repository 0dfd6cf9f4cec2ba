import type { Field } from '../../../../shared/api/contract.ts';

/** Time unit at the end of a name. Formatted durations state their unit themselves. */
const DURATION_UNIT = / (?:milliseconds|ms|seconds|secs?|minutes|mins?|hours)$/iu;

/**
 * Removes the unit at the end of a name ("Distance km"), because the unit is shown beside the name or value. Does not
 * change the name of a field that the owner corrected.
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
