import { PasswordInput, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../shared/api/client.ts';
import type { PasswordStrength } from '../../shared/api/contract.ts';
import { m } from '../../shared/messages/texts.ts';
import classes from './new-password.module.css';

interface NewPasswordProps {
  label: string;
  name: string;
  value: string;
  error: ReactNode;
  onChange: (value: string) => void;
  autoFocus?: boolean;
}

export function checkStrength(password: string, name: string, signal?: AbortSignal): Promise<PasswordStrength> {
  return call(
    'POST /api/v2.6/owner/password-strength',
    { body: { password, ...(name === '' ? {} : { name }) } },
    signal,
  );
}

/** A password to choose, judged by the PDA while it is being written. */
export function NewPasswordField({ label, name, value, error, onChange, autoFocus = false }: NewPasswordProps) {
  const [settled] = useDebouncedValue(value, 200);
  const strength = useQuery({
    queryKey: ['strength', name, settled],
    queryFn: ({ signal }) => checkStrength(settled, name, signal),
    enabled: settled !== '',
    placeholderData: keepPreviousData,
    // A password has no business in a cache.
    gcTime: 0,
    retry: false,
  });
  const judged = value === '' || settled === '' ? undefined : strength.data;
  return (
    <div>
      <PasswordInput
        label={label}
        description={m.entry.setup.password.rule}
        autoComplete="new-password"
        value={value}
        error={error}
        data-autofocus={autoFocus || undefined}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <StrengthMeter judged={judged} />
    </div>
  );
}

function StrengthMeter({ judged }: { judged: PasswordStrength | undefined }) {
  const words = m.entry.strength;
  const advice =
    judged === undefined || judged.acceptable
      ? []
      : [words.warnings[judged.warning ?? ''], ...judged.suggestions.map((key) => words.suggestions[key])];
  return (
    <div className={classes.meter} data-acceptable={judged?.acceptable || undefined}>
      <div className={classes.bars} aria-hidden="true">
        {[0, 1, 2, 3].map((bar) => (
          <span key={bar} data-on={(judged !== undefined && judged.score > bar) || undefined} />
        ))}
      </div>
      <Text size="sm" component="div" role="status" aria-label={words.label}>
        {judged !== undefined && <span className={classes.score}>{words.scores[judged.score]}</span>}
        {advice.length > 0 && '. '}
        {advice
          .filter((text) => text !== undefined)
          .slice(0, 2)
          .join(' ')}
      </Text>
    </div>
  );
}
