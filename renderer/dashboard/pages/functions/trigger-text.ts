import { DURATION } from '../../../../server/wire/iso-8601.ts';
import type { FunctionTrigger } from '../../../shared/api/contract.ts';
import { duration, unit } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';

const texts = m.functions.trigger;

/** Units in the order of the capture groups of `DURATION`. */
const UNITS = ['year', 'month', 'week', 'day', 'hour', 'minute', 'second'] as const;

/** Returns "Every 6 hours, if there is new data" for `PT6H`. @param period ISO 8601 duration, or milliseconds */
function periodicText(period: string | number): string {
  if (typeof period === 'number') return texts.periodic(duration(period));
  const match = DURATION.exec(period);
  const amounts = UNITS.flatMap((name, index) => {
    const value = Number(match?.[index + 1] ?? 0);
    return value === 0 ? [] : [{ value, name }];
  });
  const [onlyAmount] = amounts;
  if (amounts.length === 1 && onlyAmount?.value === 1) return texts.periodicOnce[onlyAmount.name];
  return texts.periodic(m.consent.list(amounts.map(({ value, name }) => unit(value, name))));
}

export function triggerText(trigger: FunctionTrigger): string {
  switch (trigger.triggerType) {
    case 'individual':
      return texts.individual;
    case 'manual':
      return texts.manual;
    case 'periodic':
      return periodicText(trigger.period);
  }
}
