import { DURATION } from '../../../../server/wire/iso-8601.ts';
import type { FunctionTrigger } from '../../../shared/api/contract.ts';
import { count, duration } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';

/** Texts for the triggers of functions. */

const words = m.functions.trigger;

/** Units in the order of the capture groups of `DURATION`. */
const UNITS = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;

/** Returns the text that follows "every": "day" for `P1D`, "6 hours" for `PT6H`, "2 minutes" for 90000 ms. */
export function periodText(period: string | number): string {
  if (typeof period === 'number') return duration(period).replace(/^1\s/u, '');
  const match = DURATION.exec(period);
  const parts = UNITS.flatMap((unit, index) => {
    const n = Number(match?.[index + 1] ?? 0);
    return n === 0 ? [] : [{ n, unit }];
  });
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
