import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import type { Timing } from '../../../../shared/consent/timing-text.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { toCalendarDay } from '../../../consent/duration.ts';
import classes from '../../requests/duration-choice.module.css';
import { CHOSEN_DAY, type EndChoice, endOfDay, lastEndDay } from './end-choices.ts';

const words = m.requests.page;

interface EndSelectProps {
  choices: readonly EndChoice[];
  requested: Timing;
  now: Date;
  value: string;
  /** @param choice `end` is undefined for the requested end */
  change: (choice: { value: string; end: string | undefined }) => void;
}

/** Selection of the end of a permission. */
export function EndSelect({ choices, requested, now, value, change }: EndSelectProps) {
  const [day, setDay] = useState(lastEndDay(requested) ?? toCalendarDay(now));
  const selectDay = (next: string) => {
    setDay(next);
    const end = endOfDay(next, requested, now);
    if (end !== undefined) change({ value: CHOSEN_DAY, end });
  };
  return (
    <div className={classes.howLong}>
      <NativeSelect
        size="xs"
        aria-label={words.howLong}
        value={value}
        data={choices.map((choice) => ({ value: choice.value, label: choice.label }))}
        onChange={(event) => {
          const selected = choices.find((choice) => choice.value === event.currentTarget.value);
          if (selected?.value === CHOSEN_DAY) selectDay(day);
          else if (selected !== undefined) change({ value: selected.value, end: selected.end });
        }}
      />
      {value === CHOSEN_DAY && (
        <TextInput
          size="xs"
          type="date"
          aria-label={words.customDayLabel}
          value={day}
          min={toCalendarDay(now)}
          max={lastEndDay(requested)}
          error={endOfDay(day, requested, now) === undefined ? words.customDayInvalid : undefined}
          onChange={(event) => selectDay(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
