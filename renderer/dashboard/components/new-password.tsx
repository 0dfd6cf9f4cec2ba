import { PasswordInput, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { call } from '../../shared/api/client.ts';
import type { PasswordStrength } from '../../shared/api/contract.ts';
import { m } from '../../shared/messages/texts.ts';
import classes from './new-password.module.css';

const STRENGTH_DEBOUNCE_MS = 200;
const MAX_ADVICE_SENTENCES = 2;

interface NewPasswordProps {
  label: string;
  /** Account name. A password that contains it is rated weaker. */
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

export function NewPasswordField({ label, name, value, error, onChange, autoFocus = false }: NewPasswordProps) {
  const [debouncedValue] = useDebouncedValue(value, STRENGTH_DEBOUNCE_MS);
  const strengthQuery = useQuery({
    queryKey: ['strength', name, debouncedValue],
    queryFn: ({ signal }) => checkStrength(debouncedValue, name, signal),
    enabled: debouncedValue !== '',
    placeholderData: keepPreviousData,
    // Passwords must not stay in the cache.
    gcTime: 0,
    retry: false,
  });
  const strength = value === '' || debouncedValue === '' ? undefined : strengthQuery.data;
  return (
    <div>
      <PasswordInput
        label={label}
        description={m.entry.setup.password.rule}
        autoComplete="new-password"
        value={value}
        error={error}
        autoFocus={autoFocus}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      <StrengthMeter strength={strength} />
    </div>
  );
}

function StrengthMeter({ strength }: { strength: PasswordStrength | undefined }) {
  const texts = m.entry.strength;
  const advice =
    strength === undefined || strength.acceptable
      ? []
      : [texts.warnings[strength.warning ?? ''], ...strength.suggestions.map((key) => texts.suggestions[key])];
  return (
    <div className={classes.meter} data-acceptable={strength?.acceptable || undefined}>
      <div className={classes.bars} aria-hidden="true">
        {[0, 1, 2, 3].map((bar) => (
          <span key={bar} data-on={(strength !== undefined && strength.score > bar) || undefined} />
        ))}
      </div>
      <Text component="div" role="status" aria-label={texts.label}>
        {strength !== undefined && (
          <Text span fw={500}>
            {texts.scores[strength.score]}
          </Text>
        )}
        {advice.length > 0 && '. '}
        {advice
          .filter((text) => text !== undefined)
          .slice(0, MAX_ADVICE_SENTENCES)
          .join(' ')}
      </Text>
    </div>
  );
}
