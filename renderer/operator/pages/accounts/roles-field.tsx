import { Checkbox, Stack } from '@mantine/core';
import type { AccountRole } from '../../../../server/wire/exchange.ts';
import { messages } from '../../messages/texts.ts';

const ROLES = [
  'developer',
  'dataPlug',
  'marketPlace',
  'management',
  'administrator',
] as const satisfies readonly AccountRole[];

interface RolesFieldProps {
  value: readonly AccountRole[];
  onChange: (roles: AccountRole[]) => void;
  error?: string | undefined;
}

export function RolesField({ value, onChange, error }: RolesFieldProps) {
  return (
    <Checkbox.Group
      label={messages.accounts.roles}
      value={[...value]}
      onChange={(selected) => onChange(ROLES.filter((role) => selected.includes(role)))}
      error={error}
    >
      <Stack gap="sm" mt="xs">
        {ROLES.map((role) => (
          <Checkbox key={role} value={role} label={messages.roles[role].name} description={messages.roles[role].text} />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
