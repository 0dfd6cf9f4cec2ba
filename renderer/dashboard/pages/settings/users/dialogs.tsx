import { Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { call } from '../../../../shared/api/client.ts';
import type { User } from '../../../../shared/api/contract.ts';
import { refreshUsers } from '../../../api/account/users.ts';
import { toProblem } from '../../../../shared/api/problem.ts';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { Dialog, type DialogState } from '../../../../shared/overlay/dialog.tsx';
import { DialogButtons } from '../../../../shared/overlay/dialog-form.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { Credentials, PasswordField } from './password-fields.tsx';

const texts = m.people;

type UserDialogProps = DialogState & { user: User };

function fieldErrorsOf(problem: unknown): { name?: string; email?: string; password?: string } {
  if (problem === undefined) return {};
  const { code, details } = toProblem(problem);
  if (code === 'already_exists') return { name: texts.fields.nameTaken };
  const concerns = (field: string) => details.some(({ path }) => path === field || path === `body.${field}`);
  return {
    ...(concerns('name') ? { name: texts.fields.nameInvalid } : {}),
    ...(concerns('email') ? { email: texts.fields.emailInvalid } : {}),
    ...(concerns('password') ? { password: m.entry.setup.password.tooWeak } : {}),
  };
}

function isFieldError(problem: unknown): boolean {
  return Object.keys(fieldErrorsOf(problem)).length > 0;
}

interface FieldsProps {
  name: string;
  email: string;
  setName: (name: string) => void;
  setEmail: (email: string) => void;
  errors: { name?: string; email?: string };
}

function NameAndEmail({ name, email, setName, setEmail, errors }: FieldsProps) {
  return (
    <>
      <TextInput
        label={texts.fields.name}
        description={texts.fields.nameHint}
        value={name}
        error={errors.name}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput
        label={texts.fields.email}
        description={texts.fields.emailHint}
        type="email"
        value={email}
        error={errors.email}
        autoComplete="off"
        onChange={(event) => setEmail(event.currentTarget.value)}
      />
    </>
  );
}

export function AddUserDialog({ opened, close }: DialogState) {
  const [createdUser, setCreatedUser] = useState<{ name: string; password: string }>();
  const finish = () => {
    close();
    setCreatedUser(undefined);
  };
  return (
    <Dialog
      opened={opened}
      onClose={finish}
      closeOnClickOutside={false}
      title={createdUser === undefined ? texts.add : texts.adding.done(createdUser.name)}
    >
      {createdUser === undefined ? (
        <AddUserForm close={finish} onCreated={setCreatedUser} />
      ) : (
        <Credentials {...createdUser} close={finish} />
      )}
    </Dialog>
  );
}

function AddUserForm({
  close,
  onCreated,
}: {
  close: () => void;
  onCreated: (user: { name: string; password: string }) => void;
}) {
  const [name, setName] = useState('');
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const [isSubmitted, setIsSubmitted] = useState(false);
  const { busy, problem, run } = useSubmit();
  const missingFields = { name: name.trim() === '', password: password === '' };
  const errors = {
    ...fieldErrorsOf(problem),
    ...(isSubmitted && missingFields.name ? { name: m.shell.nameMissing } : {}),
    ...(isSubmitted && missingFields.password ? { password: m.entry.setup.password.missing } : {}),
  };
  const store = async () => {
    const address = email.trim();
    const body = { name, password, ...(address === '' ? {} : { email: address }) };
    const createdUser = await call('POST /users/user', { body });
    await refreshUsers();
    onCreated({ name: createdUser.name, password });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (!missingFields.name && !missingFields.password) void run(store);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <NameAndEmail name={name} email={email} setName={setName} setEmail={setEmail} errors={errors} />
        <PasswordField name={name} value={password} error={errors.password} change={setPassword} />
        {!isFieldError(problem) && <SubmitError problem={problem} />}
        <DialogButtons close={close} submitLabel={texts.add} busy={busy} />
      </Stack>
    </form>
  );
}

export function EditUserDialog({ user, opened, close }: UserDialogProps) {
  return (
    <Dialog opened={opened} onClose={close} title={texts.changing.title(user.name)}>
      <EditUserForm user={user} close={close} />
    </Dialog>
  );
}

function EditUserForm({ user: { userId, ...user }, close }: { user: User; close: () => void }) {
  const [name, setName] = useState(user.name);
  const [email, setEmail] = useState(user.email ?? '');
  const [isSubmitted, setIsSubmitted] = useState(false);
  const { busy, problem, run } = useSubmit();
  const isNameMissing = name.trim() === '';
  const errors = {
    ...fieldErrorsOf(problem),
    ...(isSubmitted && isNameMissing ? { name: m.shell.nameMissing } : {}),
  };
  const store = async () => {
    const address = email.trim();
    await call('PUT /users/user/:userId/update', {
      params: { userId },
      body: { name, email: address === '' ? null : address },
    });
    showToast(texts.changing.done);
    close();
    await refreshUsers();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsSubmitted(true);
    if (!isNameMissing) void run(store);
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <NameAndEmail name={name} email={email} setName={setName} setEmail={setEmail} errors={errors} />
        {!isFieldError(problem) && <SubmitError problem={problem} />}
        <DialogButtons close={close} submitLabel={m.shell.save} busy={busy} />
      </Stack>
    </form>
  );
}

export function DeleteUserDialog({ user: { userId, name }, opened, close }: UserDialogProps) {
  const remove = async () => {
    await call('PUT /users/user/:userId/delete', { params: { userId } });
    await refreshUsers();
    showToast(texts.deleting.done(name));
  };
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={texts.deleting.title(name)}
      cancelLabel={texts.deleting.keep}
      confirmLabel={texts.deleting.submit}
      onConfirm={remove}
    >
      <Text>{texts.deleting.text(name)}</Text>
      <Text c="dimmed">{texts.deleting.blockHint}</Text>
    </ConfirmDialog>
  );
}
