import { localDate } from '../../shared/format/local-date.ts';
import { NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { m } from '../../shared/messages/texts.ts';
import { CUSTOM_DAY } from '../consent/duration.ts';
import { endOfDay, latestEndDay, type End } from './end-choice.ts';

const texts = m.sharing.end;

interface EndFieldProps<Choice extends string> {
  label: string;
  choices: readonly { value: Choice; label: string }[];
  value: End<Choice>;
  change: (end: End<Choice>) => void;
  /** Unlimited if absent. */
  maxDays?: number;
}

export function EndField<Choice extends string>({ label, choices, value, change, maxDays }: EndFieldProps<Choice>) {
  const { choice, day } = value;
  const [now] = useState(() => new Date());
  const select = (selectedValue: string) => {
    const fixedChoice = choices.find((candidate) => candidate.value === selectedValue);
    change({ choice: fixedChoice === undefined ? CUSTOM_DAY : fixedChoice.value, day });
  };
  const problem = maxDays === undefined ? texts.past : texts.outOfRange(maxDays);
  return (
    <>
      <NativeSelect
        label={label}
        value={choice}
        data={[...choices, { value: CUSTOM_DAY, label: texts.chooseDay }]}
        onChange={(event) => select(event.currentTarget.value)}
      />
      {choice === CUSTOM_DAY && (
        <TextInput
          type="date"
          label={texts.day}
          value={day}
          min={localDate(now)}
          max={latestEndDay(now, maxDays)}
          error={endOfDay(day, now, maxDays) === undefined ? problem : undefined}
          onChange={(event) => change({ choice, day: event.currentTarget.value })}
        />
      )}
    </>
  );
}
