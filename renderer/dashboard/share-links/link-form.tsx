import { Checkbox, PasswordInput, TextInput } from '@mantine/core';
import { useState } from 'react';
import { MAX_SHARE_LINK_OPENS } from '../../../server/wire/limits.ts';
import type { ShareLink } from '../../shared/api/contract.ts';
import { dayInWords } from '../../shared/format/format.ts';
import { m } from '../../shared/messages/texts.ts';
import { DialogForm } from '../../shared/overlay/dialog-form.tsx';
import type { LinkSettings } from '../api/files/share-links.ts';
import { endTime, fixedEnd, type End } from '../components/end-choice.ts';
import { EndField } from '../components/end-field.tsx';

const texts = m.shareLinks.form;

const DEFAULT_END = '7';
/** Days until a link expires, or `never`. */
const END_CHOICES = ['1', '7', '30', 'never'] as const;
type EndChoice = (typeof END_CHOICES)[number] | 'keep';

interface LinkFormProps {
  /** Absent for a new link. */
  link?: ShareLink;
  defaultName: string;
  submitLabel: string;
  onSubmit: (settings: LinkSettings) => Promise<void>;
  close: () => void;
}

const isValidLimit = (text: string): boolean => /^[1-9]\d*$/.test(text) && Number(text) <= MAX_SHARE_LINK_OPENS;

const endText = ({ expires }: ShareLink): string =>
  expires === null ? texts.currentEndNever : dayInWords(new Date(expires));

const endsAtTime = ({ choice }: End<EndChoice>): boolean => choice !== 'keep' && choice !== 'never';

/** Returns Unix milliseconds; undefined to keep the expiry or for an invalid end, and null for no expiry. */
const expiryOf = (end: End<EndChoice>): number | null | undefined =>
  endsAtTime(end) ? endTime(end, new Date()) : end.choice === 'never' ? null : undefined;

export function LinkForm({ link, defaultName, submitLabel, onSubmit, close }: LinkFormProps) {
  const [name, setName] = useState(link?.name ?? defaultName);
  const [end, setEnd] = useState(() => fixedEnd<EndChoice>(link === undefined ? DEFAULT_END : 'keep'));
  const [password, setPassword] = useState('');
  const [isPasswordRemoved, setIsPasswordRemoved] = useState(false);
  const [opensMax, setOpensMax] = useState(link?.opensMax?.toString() ?? '');
  const [viewOnly, setViewOnly] = useState(link?.viewOnly ?? false);
  const [isSubmitted, setIsSubmitted] = useState(false);
  const hasPassword = link?.password === true;
  const isNameMissing = name.trim() === '';
  const isLimitInvalid = opensMax.trim() !== '' && !isValidLimit(opensMax.trim());
  const send = () =>
    onSubmit({
      name: name.trim(),
      expires: expiryOf(end),
      password: isPasswordRemoved ? null : password === '' ? undefined : password,
      opensMax: opensMax.trim() === '' ? null : Number(opensMax),
      viewOnly,
    });
  const check = () => {
    setIsSubmitted(true);
    const isEndInvalid = endsAtTime(end) && endTime(end, new Date()) === undefined;
    return !isNameMissing && !isLimitInvalid && !isEndInvalid;
  };
  return (
    <DialogForm submitLabel={submitLabel} close={close} check={check} send={send}>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        value={name}
        error={isSubmitted && isNameMissing ? m.shell.nameMissing : undefined}
        autoComplete="off"
        data-autofocus
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <EndField<EndChoice>
        label={texts.end}
        value={end}
        choices={[
          ...(link === undefined ? [] : [{ value: 'keep' as const, label: texts.endChoices.keep(endText(link)) }]),
          ...END_CHOICES.map((value) => ({ value, label: texts.endChoices[value] })),
        ]}
        change={setEnd}
      />
      <PasswordInput
        label={texts.password}
        description={hasPassword ? texts.passwordKeep : texts.passwordHint}
        value={password}
        disabled={isPasswordRemoved}
        autoComplete="new-password"
        onChange={(event) => setPassword(event.currentTarget.value)}
      />
      {hasPassword && (
        <Checkbox
          label={texts.removePassword}
          checked={isPasswordRemoved}
          onChange={(event) => setIsPasswordRemoved(event.currentTarget.checked)}
        />
      )}
      <TextInput
        label={texts.opensMax}
        description={texts.opensMaxHint}
        inputMode="numeric"
        value={opensMax}
        error={isSubmitted && isLimitInvalid ? texts.opensMaxInvalid(MAX_SHARE_LINK_OPENS) : undefined}
        autoComplete="off"
        onChange={(event) => setOpensMax(event.currentTarget.value)}
      />
      <Checkbox
        label={m.shareLinks.viewOnly}
        description={texts.viewOnlyHint}
        checked={viewOnly}
        onChange={(event) => setViewOnly(event.currentTarget.checked)}
      />
    </DialogForm>
  );
}
