import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { m } from '../../shared/messages/texts.ts';
import classes from './duration-select.module.css';
import { CUSTOM_DAY } from './duration.ts';

const words = m.requests.page;

interface DurationSelectProps<Choice> {
  choices: readonly Choice[];
  value: string;
  /** Range of days from which the owner can choose (`2026-03-01`). */
  firstDay: string;
  lastDay: string | undefined;
  /** Returns the choice that ends on this day; undefined if the day is not allowed. */
  choiceOf: (day: string) => Choice | undefined;
  change: (choice: Choice) => void;
}

/** Selection of a duration by its end: one of the choices, or a day. */
export function DurationSelect<Choice extends { value: string; label: string }>(props: DurationSelectProps<Choice>) {
  const { choices, value, firstDay, lastDay, choiceOf, change } = props;
  const [day, setDay] = useState(lastDay ?? firstDay);
  const selectDay = (next: string) => {
    setDay(next);
    const choice = choiceOf(next);
    if (choice !== undefined) change(choice);
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
          if (selected?.value === CUSTOM_DAY) selectDay(day);
          else if (selected !== undefined) change(selected);
        }}
      />
      {value === CUSTOM_DAY && (
        <TextInput
          size="xs"
          type="date"
          aria-label={words.customDayLabel}
          value={day}
          min={firstDay}
          max={lastDay}
          error={choiceOf(day) === undefined ? words.customDayInvalid : undefined}
          onChange={(event) => selectDay(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
