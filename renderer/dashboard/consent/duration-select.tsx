import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { m } from '../../shared/messages/texts.ts';
import { CUSTOM_DAY } from './duration.ts';

const texts = m.requests.page;

interface DurationSelectProps<Choice> {
  choices: readonly Choice[];
  value: string;
  /** First and last local day that can be chosen (`2026-03-01`). */
  firstDay: string;
  lastDay: string | undefined;
  /** Returns undefined if the day is not allowed. */
  choiceOf: (day: string) => Choice | undefined;
  change: (choice: Choice) => void;
}

export function DurationSelect<Choice extends { value: string; label: string }>(props: DurationSelectProps<Choice>) {
  const { choices, value, firstDay, lastDay, choiceOf, change } = props;
  const [day, setDay] = useState(lastDay ?? firstDay);
  const selectDay = (next: string) => {
    setDay(next);
    const choice = choiceOf(next);
    if (choice !== undefined) change(choice);
  };
  return (
    <Group align="flex-start" gap="0.5rem 1rem" mt="sm">
      <NativeSelect
        size="xs"
        miw="min(21rem, 100%)"
        aria-label={texts.howLong}
        value={value}
        data={choices.map((choice) => ({ value: choice.value, label: choice.label }))}
        onChange={(event) => {
          const selectedChoice = choices.find((choice) => choice.value === event.currentTarget.value);
          if (selectedChoice?.value === CUSTOM_DAY) selectDay(day);
          else if (selectedChoice !== undefined) change(selectedChoice);
        }}
      />
      {value === CUSTOM_DAY && (
        <TextInput
          size="xs"
          type="date"
          miw="10rem"
          aria-label={texts.customDayLabel}
          value={day}
          min={firstDay}
          max={lastDay}
          error={choiceOf(day) === undefined ? texts.customDayInvalid(firstDay, lastDay) : undefined}
          onChange={(event) => selectDay(event.currentTarget.value)}
        />
      )}
    </Group>
  );
}
