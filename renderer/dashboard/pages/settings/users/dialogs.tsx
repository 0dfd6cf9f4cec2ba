import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { User } from '../../../../shared/api/contract.ts';
import { refreshUsers } from '../../../api/account/users.ts';
import { toProblem } from '../../../../shared/api/problem.ts';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { Dialog } from '../../../../shared/overlay/dialog.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { HandOver, PasswordField } from './password-fields.tsx';

const words = m.people;

interface DialogProps {
  opened: boolean;
  close: () => void;
}
type OfPerson = DialogProps & { person: User };

/** What was wrong with one of the fields; whatever is not about a field is said below them. */
function faultsOf(problem: unknown): { name?: string; email?: string; password?: string } {
  if (problem === undefined) return {};
  const { code, details } = toProblem(problem);
  if (code === 'already_exists') return { name: words.fields.nameTaken };
  const about = (field: string) => details.some(({ path }) => path === field || path === `body.${field}`);
  return {
    ...(about('name') ? { name: words.fields.nameBad } : {}),
    ...(about('email') ? { email: words.fields.emailBad } : {}),
    ...(about('password') ? { password: words.fields.passwordWeak } : {}),
  };
}

function isAboutAField(problem: unknown): boolean {
  return Object.keys(faultsOf(problem)).length > 0;
}

interface FieldsProps {
  name: string;
  email: string;
  setName: (name: string) => void;
  setEmail: (email: string) => void;
  faults: { name?: string; email?: string };
}

function NameAndEmail({ name, email, setName, setEmail, faults }: FieldsProps) {
  return (
    <>
      <TextInput
        label={words.fields.name}
        description={words.fields.nameHint}
        value={name}
        error={faults.name}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={words.fields.email}
        description={words.fields.emailHint}
        type="email"
        value={email}
        error={faults.email}
        autoComplete="off"
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </>
  );
}

function Buttons({ close, submit, busy }: { close: () => void; submit: string; busy: boolean }) {
  return (
    <Group justify="flex-end" gap="sm">
      <Button variant="default" onClick={close}>
        {m.shell.cancel}
      </Button>
      <Button type="submit" loading={busy}>
        {submit}
      </Button>
    </Group>
  );
}

/** Asks for name and password of a guest, then shows what to hand over. */
export function AddPerson({ opened, close }: DialogProps) {
  const [added, setAdded] = useState<{ name: string; password: string }>();
  const done = () => {
    close();
    setAdded(undefined);
  };
  return (
    <Dialog
      opened={opened}
      onClose={done}
      closeOnClickOutside={false}
      title={added === undefined ? words.adding.title : words.adding.done(added.name)}
    >
      {added === undefined ? <Adding close={done} added={setAdded} /> : <HandOver {...added} close={done} />}
    </Dialog>
  );
}

function Adding({ close, added }: { close: () => void; added: (person: { name: string; password: string }) => void }) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, problem, run } = useSubmit();
  const lacks = { name: name.trim() === '', password: password === '' };
  const faults = {
    ...faultsOf(problem),
    ...(asked && lacks.name ? { name: words.fields.nameMissing } : {}),
    ...(asked && lacks.password ? { password: words.fields.passwordMissing } : {}),
  };
  const store = async () => {
    const address = email.trim();
    const body = { name, password, ...(address === '' ? {} : { email: address }) };
    const made = await call('POST /users/user', { body });
    await refreshUsers();
    added({ name: made.name, password });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (!lacks.name && !lacks.password) void run(store);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <NameAndEmail name={name} email={email} setName={setName} setEmail={setEmail} faults={faults} />
        <PasswordField name={name} value={password} error={faults.password} change={setPassword} />
        {!isAboutAField(problem) && <SubmitError problem={problem} />}
        <Buttons close={close} submit={words.adding.submit} busy={busy} />
      </Stack>
    </form>
  );
}

export function ChangePerson({ person, opened, close }: OfPerson) {
  return (
    <Dialog opened={opened} onClose={close} title={words.changing.title(person.name)}>
      <Changing person={person} close={close} />
    </Dialog>
  );
}

function Changing({ person: { userId, ...person }, close }: { person: User; close: () => void }) {
  const [name, setName] = useState(person.name);
  const [email, setEmail] = useState(person.email ?? '');
  const [asked, setAsked] = useState(false);
  const { busy, problem, run } = useSubmit();
  const isNameless = name.trim() === '';
  const faults = { ...faultsOf(problem), ...(asked && isNameless ? { name: words.fields.nameMissing } : {}) };
  const store = async () => {
    const address = email.trim();
    await call('PUT /users/user/:userId/update', {
      params: { userId },
      body: { name, email: address === '' ? null : address },
    });
    showToast(words.changing.done);
    close();
    await refreshUsers();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (!isNameless) void run(store);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <NameAndEmail name={name} email={email} setName={setName} setEmail={setEmail} faults={faults} />
        {!isAboutAField(problem) && <SubmitError problem={problem} />}
        <Buttons close={close} submit={words.changing.submit} busy={busy} />
      </Stack>
    </form>
  );
}

export function PasswordOfPerson({ person, opened, close }: OfPerson) {
  const [given, setGiven] = useState<string>();
  const { name } = person;
  const done = () => {
    close();
    setGiven(undefined);
  };
  return (
    <Dialog
      opened={opened}
      onClose={done}
      closeOnClickOutside={false}
      title={given === undefined ? words.newPassword.title(name) : words.newPassword.done(name)}
    >
      {given === undefined ? (
        <Giving person={person} close={done} given={setGiven} />
      ) : (
        <HandOver name={name} password={given} close={done} />
      )}
    </Dialog>
  );
}

function Giving({
  person: { userId, name },
  close,
  given,
}: {
  person: User;
  close: () => void;
  given: (password: string) => void;
}) {
  const [password, setPassword] = useState('');
  const [asked, setAsked] = useState(false);
  const { busy, problem, run } = useSubmit();
  const missing = asked && password === '' ? words.fields.passwordMissing : undefined;
  const store = async () => {
    await call('PUT /users/user/:userId/update', { params: { userId }, body: { password } });
    await refreshUsers();
    given(password);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setAsked(true);
    if (password !== '') void run(store);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Text size="sm">{words.newPassword.text}</Text>
        <PasswordField
          name={name}
          value={password}
          error={missing ?? faultsOf(problem).password}
          change={setPassword}
          autoFocus
        />
        {!isAboutAField(problem) && <SubmitError problem={problem} />}
        <Buttons close={close} submit={words.newPassword.submit} busy={busy} />
      </Stack>
    </form>
  );
}

export function DeletePerson({ person: { userId, name }, opened, close }: OfPerson) {
  const remove = async () => {
    await call('PUT /users/user/:userId/delete', { params: { userId } });
    await refreshUsers();
    showToast(words.deleting.done(name));
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={words.deleting.title(name)}
      keep={words.deleting.keep}
      submit={words.deleting.submit}
      onConfirm={remove}
    >
      <Text size="sm">{words.deleting.text(name)}</Text>
      <Text size="sm" c="dimmed">
        {words.deleting.instead}
      </Text>
    </ConfirmDialog>
  );
}
