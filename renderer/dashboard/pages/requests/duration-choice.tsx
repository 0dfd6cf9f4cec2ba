import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import {
  type DurationLimit,
  CUSTOM_DAY,
  firstDay,
  lastDay,
  limitChoices,
  limitToEndOf,
} from '../../consent/duration.ts';
import type { Timing } from '../../../shared/consent/timing-text.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './duration-choice.module.css';

const words = m.requests.page;

interface DurationChoiceProps {
  requested: Timing;
  now: Date;
  value: string;
  change: (choice: { value: string; limit: DurationLimit }) => void;
}

/** Selection of a shorter duration, each labelled with its end. */
export function DurationChoice({ requested, now, value, change }: DurationChoiceProps) {
  const choices = limitChoices(requested, now);
  const last = lastDay(requested, now);
  const [day, setDay] = useState(last ?? '');
  if (choices.length < 2) return null;
  const pickDay = (next: string) => {
    setDay(next);
    const limit = limitToEndOf(next, requested);
    if (limit !== undefined) change({ value: CUSTOM_DAY, limit });
  };
  return (
    <div className={classes.howLong}>
      <NativeSelect
        size="xs"
        aria-label={words.howLong}
        value={value}
        data={choices.map((choice) => ({ value: choice.value, label: choice.label }))}
        onChange={(event) => {
          const selectedChoice = choices.find((choice) => choice.value === event.currentTarget.value);
          if (selectedChoice?.value === CUSTOM_DAY) pickDay(day);
          else if (selectedChoice !== undefined) change({ value: selectedChoice.value, limit: selectedChoice.limit });
        }}
      />
      {value === CUSTOM_DAY && (
        <TextInput
          size="xs"
          type="date"
          aria-label={words.customDayLabel}
          value={day}
          min={firstDay(requested, now)}
          max={last}
          error={limitToEndOf(day, requested) === undefined ? words.customDayInvalid : undefined}
          onChange={(event) => pickDay(event.currentTarget.value)}
        />
      )}
    </div>
  );
}
