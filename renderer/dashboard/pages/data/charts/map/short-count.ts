import { number } from '../../../../../shared/format/format.ts';

const THOUSAND = 1000;
const MILLION = 1_000_000;

/** Returns a count that fits into a cluster: 950, 12k, 3M. */
export const shortCount = (records: number): string => {
  if (records < THOUSAND) return number(records);
  const thousands = Math.round(records / THOUSAND);
  return thousands < THOUSAND ? `${number(thousands)}k` : `${number(Math.round(records / MILLION))}M`;
};
