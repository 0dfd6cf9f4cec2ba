import {
  type DurationLimit,
  CUSTOM_DAY,
  firstDay,
  lastFullDay,
  limitChoices,
  limitToEndOf,
  withLimit,
} from '../../consent/duration.ts';
import { DurationSelect } from '../../consent/duration-select.tsx';
import { finalEnd, type Timing } from '../../../shared/consent/timing-text.ts';
import { m } from '../../../shared/messages/texts.ts';

interface DurationChoiceProps {
  requested: Timing;
  now: Date;
  value: string;
  change: (choice: { value: string; limit: DurationLimit }) => void;
}

export function DurationChoice({ requested, now, value, change }: DurationChoiceProps) {
  const choices = limitChoices(requested, now);
  if (choices.length < 2) return null;
  return (
    <DurationSelect
      choices={choices}
      value={value}
      firstDay={firstDay(requested, now)}
      lastDay={lastFullDay(finalEnd(withLimit(requested, { cancelAtPeriodEnd: true })))}
      choiceOf={(day) => {
        const limit = limitToEndOf(day, requested, now);
        return limit === undefined ? undefined : { value: CUSTOM_DAY, label: m.requests.page.customDay, limit };
      }}
      change={change}
    />
  );
}
