import { Button, Group, NativeSelect, NumberInput, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { type FormEvent, useState } from 'react';
import {
  type Backup,
  type BackupInterval,
  changeBackup,
  changePassphrase,
  turnOffBackup,
} from '../../api/account/backup.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { NewPasswordField } from '../../components/new-password.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { Section } from '../../components/page.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useRepeatableSubmit, useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';
import { fieldError, folderErrorOf } from './set-up-form.tsx';

const texts = m.backup.settings;
const INTERVALS: readonly BackupInterval[] = ['hour', 'day', 'week', 'off'];
const RETENTION_MAX = { days: 3650, weeks: 520, months: 240 } as const;
const RETENTION_SPANS = ['days', 'weeks', 'months'] as const;

export function SettingsForm({ backup }: { backup: Backup }) {
  const [folder, setFolder] = useState(backup.folder ?? '');
  const [every, setEvery] = useState(backup.every);
  const [keep, setKeep] = useState<Record<keyof typeof RETENTION_MAX, number | string>>(backup.keep);
  const [isInvalid, setIsInvalid] = useState(false);
  const { busy, problem, run } = useRepeatableSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { days, weeks, months } = keep;
    const isValid = [days, weeks, months].every((value) => Number.isInteger(value));
    setIsInvalid(!isValid);
    if (!isValid) return;
    void run(async () => {
      await changeBackup({ folder, every, keep: { days: Number(days), weeks: Number(weeks), months: Number(months) } });
      showToast(texts.saved);
    });
  };
  return (
    <Section title={texts.title}>
      <form onSubmit={submit} noValidate className={classes.form}>
        <TextInput
          label={m.backup.setUp.folder}
          value={folder}
          spellCheck={false}
          autoCapitalize="none"
          error={folderErrorOf(problem)}
          onChange={(event) => setFolder(event.currentTarget.value)}
        />
        <NativeSelect
          label={texts.every}
          value={every}
          data={INTERVALS.map((value) => ({ value, label: texts.intervals[value] }))}
          onChange={(event) => setEvery(INTERVALS.find((interval) => interval === event.currentTarget.value) ?? 'day')}
        />
        <div role="group" aria-label={texts.keep}>
          <Text fw={500} mb={4}>
            {texts.keep}
          </Text>
          <div className={classes.numberFields}>
            {RETENTION_SPANS.map((span) => (
              <NumberInput
                key={span}
                label={texts[span]}
                value={keep[span]}
                min={0}
                max={RETENTION_MAX[span]}
                allowDecimal={false}
                hideControls
                onChange={(value) => setKeep((current) => ({ ...current, [span]: value }))}
              />
            ))}
          </div>
          <Text c="dimmed" mt="xs">
            {texts.keepText}
          </Text>
          {isInvalid && (
            <Text c="var(--stop)" role="alert">
              {texts.number}
            </Text>
          )}
        </div>
        <Button type="submit" variant="default" loading={busy}>
          {m.shell.save}
        </Button>
        {fieldError(problem, 'body.folder') === undefined && <SubmitError problem={problem} />}
      </form>
    </Section>
  );
}

export function PassphraseSection({ showRecoveryKey }: { showRecoveryKey: (recoveryKey: string) => void }) {
  const [isFormOpen, setIsFormOpen] = useState(false);
  const [isConfirming, { open: openConfirmation, close }] = useDisclosure(false);
  const changeTexts = m.backup.change;
  const { off } = m.backup;
  const turnOff = async () => {
    await turnOffBackup();
    showToast(off.done);
  };
  return (
    <Section title={changeTexts.title}>
      <Text c="dimmed" mb="md" maw="44rem">
        {changeTexts.text}
      </Text>
      {isFormOpen && (
        <PassphraseForm
          done={(recoveryKey) => {
            setIsFormOpen(false);
            showRecoveryKey(recoveryKey);
            showToast(changeTexts.done);
          }}
        />
      )}
      <Group gap="0.75rem 1rem">
        {!isFormOpen && (
          <Button variant="default" onClick={() => setIsFormOpen(true)}>
            {changeTexts.open}
          </Button>
        )}
        {!isFormOpen && (
          <Button variant="default" c="var(--stop)" onClick={openConfirmation}>
            {off.open}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={isConfirming}
        close={close}
        title={off.title}
        cancelLabel={off.keep}
        confirmLabel={off.open}
        onConfirm={turnOff}
      >
        {off.text}
      </ConfirmDialog>
    </Section>
  );
}

function PassphraseForm({ done }: { done: (recoveryKey: string) => void }) {
  const [passphrase, setPassphrase] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const { busy, problem, run } = useSubmit();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsMissing(passphrase === '');
    if (passphrase !== '') void run(async () => done(await changePassphrase(passphrase)));
  };
  const isWeak = fieldError(problem, 'body.passphrase') !== undefined;
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <NewPasswordField
        label={m.backup.setUp.passphrase}
        name=""
        autoFocus
        value={passphrase}
        error={isMissing ? m.backup.setUp.passphraseMissing : isWeak ? m.entry.setup.password.tooWeak : undefined}
        onChange={setPassphrase}
      />
      <Button type="submit" loading={busy}>
        {m.backup.change.submit}
      </Button>
      {!isWeak && <SubmitError problem={problem} />}
    </form>
  );
}
