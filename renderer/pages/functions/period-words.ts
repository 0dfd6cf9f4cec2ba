import type { FunctionTrigger } from '../../api/contract.ts';
import { count, duration } from '../../format.ts';
import { m } from '../../messages/texts.ts';

/** When a function runs, as a person says it. */

const words = m.functions.trigger;

const UNITS = [
  ['Y', 'year'],
  ['M', 'month'],
  ['W', 'week'],
  ['D', 'day'],
] as const;
const CLOCK = [
  ['H', 'hour'],
  ['M', 'minute'],
  ['S', 'second'],
] as const;

function partsOf(text: string, units: readonly (readonly [string, string])[]): { n: number; unit: string }[] {
  return units.flatMap(([letter, unit]) => {
    const found = new RegExp(String.raw`(\d+)${letter}`, 'u').exec(text)?.[1];
    const n = Number(found ?? 0);
    return n === 0 ? [] : [{ n, unit }];
  });
}

/** `P1D` is "day", `PT6H` "6 hours", 90000 "2 minutes": what stands after "every". */
export function periodText(period: string | number): string {
  if (typeof period === 'number') return duration(period).replace(/^1\s/u, '');
  const [date = '', clock = ''] = period.slice(1).split('T');
  const parts = [...partsOf(date, UNITS), ...partsOf(clock, CLOCK)];
  const [only] = parts;
  if (parts.length === 1 && only?.n === 1) return only.unit;
  return m.consent.list(parts.map(({ n, unit }) => count(n, unit, `${unit}s`)));
}

export function triggerText(trigger: FunctionTrigger): string {
  switch (trigger.triggerType) {
    case 'individual':
      return words.individual;
    case 'manual':
      return words.manual;
    case 'periodic':
      return words.periodic(periodText(trigger.period));
  }
}
