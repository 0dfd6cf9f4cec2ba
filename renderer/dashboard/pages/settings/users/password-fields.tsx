import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { GUEST_PATH } from '../../../../../server/wire/guest-paths.ts';
import { owner } from '../../../api/queries.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { NewPasswordField } from '../../../components/new-password.tsx';
import { CopyIconButton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './users-page.module.css';
import { generatePassword } from './password-generator.ts';

const texts = m.people;

interface PasswordFieldProps {
  name: string;
  value: string;
  error: ReactNode;
  change: (value: string) => void;
}

export function PasswordField({ name, value, error, change }: PasswordFieldProps) {
  const [generatedPassword, setGeneratedPassword] = useState<string>();
  const generate = () => {
    const password = generatePassword();
    setGeneratedPassword(password);
    change(password);
  };
  return (
    <div>
      <NewPasswordField label={texts.fields.password} name={name} value={value} error={error} onChange={change} />
      <Group gap="sm" mt="xs">
        <Button variant="default" size="xs" onClick={generate}>
          {texts.fields.generate}
        </Button>
        {generatedPassword !== undefined && generatedPassword === value && (
          <Text component="div" c="dimmed" className={classes.generatedPassword ?? ''} role="status">
            {texts.fields.generated} <code>{generatedPassword}</code>
            <CopyIconButton value={generatedPassword} label={texts.fields.copyPassword} />
          </Text>
        )}
      </Group>
    </div>
  );
}

/** Shows the credentials of a new user. The password cannot be shown again after the dialog closes. */
export function Credentials({ name, password, close }: { name: string; password: string; close: () => void }) {
  const publicUrl = useQuery(owner).data?.publicUrl;
  const address = `${publicUrl ?? location.origin}${GUEST_PATH}`;
  const facts = [
    { term: texts.handOver.address, value: address, label: m.exposure.address.copy },
    { term: m.people.fields.name, value: name, label: texts.handOver.copyName },
    { term: m.people.fields.password, value: password, label: texts.fields.copyPassword },
  ];
  return (
    <Stack gap="md">
      <Text>{texts.handOver.text}</Text>
      <FactList
        facts={facts.map(({ term, value, label }) => ({
          term,
          value: (
            <span className={classes.value}>
              <code>{value}</code>
              <CopyIconButton value={value} label={label} />
            </span>
          ),
        }))}
      />
      {publicUrl === null && (
        <Callout tone="attention" title={texts.handOver.onlyHere}>
          {texts.handOver.onlyHereText}
        </Callout>
      )}
      <Group justify="flex-end">
        <Button onClick={close} autoFocus>
          {m.shell.done}
        </Button>
      </Group>
    </Stack>
  );
}
