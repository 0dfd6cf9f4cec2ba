import { TextInput, type TextInputProps } from '@mantine/core';
import { useTextInput } from './use-text-input.ts';

interface DayFieldProps extends Pick<TextInputProps, 'label' | 'min' | 'max' | 'rightSection'> {
  /** `2026-03-01`; empty for none. */
  value: string;
  onDay: (day: string) => void;
}

/** Rejects incomplete years: 0002 while 2026 is typed. */
const isWhole = (day: string): boolean => day === '' || !day.startsWith('0');

/** Field for a date, selected or typed. */
export function DayField({ value, onDay, ...props }: DayFieldProps) {
  const { text, type, send } = useTextInput(value, onDay);
  return (
    <TextInput
      {...props}
      type="date"
      value={text}
      onChange={(event) => {
        type(event.currentTarget.value);
        if (isWhole(event.currentTarget.value)) send(event.currentTarget.value);
      }}
    />
  );
}
