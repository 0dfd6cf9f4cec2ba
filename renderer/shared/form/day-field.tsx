import { TextInput, type TextInputProps } from '@mantine/core';
import { useTextInput } from './use-text-input.ts';

interface DayFieldProps extends Pick<TextInputProps, 'label' | 'min' | 'max' | 'rightSection'> {
  /** Such as `2026-03-01`; empty for none. */
  value: string;
  onChange: (day: string) => void;
}

/** Returns false while a year is being typed: after the first digit of 2026, the browser reports 0002. */
const isComplete = (day: string): boolean => day === '' || !day.startsWith('0');

export function DayField({ value, onChange, ...props }: DayFieldProps) {
  const { text, type, send } = useTextInput(value, onChange);
  return (
    <TextInput
      {...props}
      type="date"
      value={text}
      onChange={(event) => {
        type(event.currentTarget.value);
        if (isComplete(event.currentTarget.value)) send(event.currentTarget.value);
      }}
    />
  );
}
