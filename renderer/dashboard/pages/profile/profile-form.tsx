import { Button, Switch, Text, TextInput, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { toProblem } from '../../../shared/api/problem.ts';
import {
  type OwnerProfile,
  type ProfileField,
  type ProfileText,
  type ProfileValues,
  saveProfile,
  setFieldPublic,
} from '../../api/account/profile.ts';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useRepeatableSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { PhotoField } from './photo-field.tsx';
import classes from './profile.module.css';

const texts = m.profile;

interface TextField {
  id: ProfileText;
  type?: 'email' | 'tel' | 'url' | 'date';
  autoComplete?: string;
  hint?: string;
  maxChars: number;
}

const TEXT_FIELDS: readonly TextField[] = [
  { id: 'name', autoComplete: 'name', maxChars: 100 },
  { id: 'headline', hint: texts.hints.headline, maxChars: 150 },
  { id: 'about', maxChars: 2000 },
  { id: 'place', hint: texts.hints.place, autoComplete: 'address-level2', maxChars: 100 },
  { id: 'email', type: 'email', autoComplete: 'email', maxChars: 254 },
  { id: 'phone', type: 'tel', autoComplete: 'tel', maxChars: 40 },
  { id: 'website', type: 'url', hint: texts.hints.website, autoComplete: 'url', maxChars: 2000 },
  { id: 'birthday', type: 'date', autoComplete: 'bday', maxChars: 10 },
];

function errorOf(field: ProfileText, problem: unknown): string | undefined {
  if (problem === undefined) return undefined;
  const detail = toProblem(problem).details.find(({ path }) => path === `body.${field}`);
  if (detail === undefined) return undefined;
  if (field === 'website') return texts.invalidWebsite;
  return field === 'email' ? texts.invalidEmail : detail.problem;
}

const isSame = (a: ProfileValues, b: ProfileValues): boolean =>
  TEXT_FIELDS.every(({ id }) => (a[id] ?? '') === (b[id] ?? ''));

/** Returns the values with those of `next` for the fields that are the same in `values` and `original`. */
function replaceUnedited(values: ProfileValues, original: ProfileValues, next: ProfileValues): ProfileValues {
  const uneditedFields = TEXT_FIELDS.filter(({ id }) => (values[id] ?? '') === (original[id] ?? ''));
  return { ...values, ...Object.fromEntries(uneditedFields.map(({ id }) => [id, next[id] ?? ''])) };
}

/**
 * Edits the profile. The button saves the texts. The photo and the switches are saved immediately. Texts that are
 * changed elsewhere replace those that the owner has not edited.
 */
export function ProfileForm({ ownerProfile }: { ownerProfile: OwnerProfile }) {
  const [original, setOriginal] = useState<ProfileValues>(ownerProfile.values);
  const [values, setValues] = useState(original);
  if (!isSame(ownerProfile.values, original)) {
    setOriginal(ownerProfile.values);
    setValues(replaceUnedited(values, original, ownerProfile.values));
  }
  const { busy, problem, run } = useRepeatableSubmit();
  const save = async () => {
    const { values: savedValues } = await saveProfile(values);
    setOriginal(savedValues);
    // The owner may have continued to type.
    setValues((current) => replaceUnedited(current, values, savedValues));
    showToast(texts.saved);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void run(save);
  };
  const hasFieldError = TEXT_FIELDS.some(({ id }) => errorOf(id, problem) !== undefined);
  return (
    <form onSubmit={submit} noValidate className={classes.form}>
      <Row field="photo" ownerProfile={ownerProfile} canShow={ownerProfile.photo !== null}>
        <PhotoField photo={ownerProfile.photo} />
      </Row>
      {TEXT_FIELDS.map(({ id, type = 'text', hint, autoComplete, maxChars }) => {
        const input = {
          label: texts.fields[id],
          description: hint,
          value: values[id] ?? '',
          error: errorOf(id, problem),
          maxLength: maxChars,
          onChange: (event: { currentTarget: { value: string } }) => {
            const { value } = event.currentTarget;
            setValues((current) => ({ ...current, [id]: value }));
          },
        };
        return (
          <Row key={id} field={id} ownerProfile={ownerProfile} canShow={ownerProfile.values[id] !== undefined}>
            {id === 'about' ? (
              <Textarea {...input} autosize minRows={2} maxRows={8} />
            ) : (
              <TextInput {...input} type={type} autoComplete={autoComplete} />
            )}
          </Row>
        );
      })}
      <Row field="notables" ownerProfile={ownerProfile} canShow>
        <div>
          <Text fw={500}>{texts.fields.notables}</Text>
          <Text c="dimmed">{texts.notables(ownerProfile.notables)}</Text>
        </div>
      </Row>
      <div>
        <Button type="submit" loading={busy}>
          {m.shell.save}
        </Button>
      </div>
      {!hasFieldError && <SubmitError problem={problem} />}
    </form>
  );
}

interface RowProps {
  field: ProfileField;
  ownerProfile: OwnerProfile;
  /** False if the field has no stored value to make public. */
  canShow: boolean;
  children: ReactNode;
}

function Row({ field, ownerProfile, canShow, children }: RowProps) {
  const { busy, problem, run } = useRepeatableSubmit();
  const isShown = ownerProfile.public.includes(field);
  return (
    <div className={classes.row}>
      {children}
      <Switch
        className={classes.switch ?? ''}
        checked={isShown}
        disabled={busy || (!canShow && !isShown)}
        label={texts.publicLabel}
        aria-label={texts.publicLabelOf(texts.fields[field])}
        onChange={({ currentTarget: { checked } }) => void run(() => setFieldPublic(field, checked))}
      />
      <SubmitError problem={problem} />
    </div>
  );
}
