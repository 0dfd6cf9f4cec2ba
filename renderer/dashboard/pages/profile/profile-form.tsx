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
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import { PhotoField } from './photo-field.tsx';
import classes from './profile.module.css';

const words = m.profile;

interface TextField {
  id: ProfileText;
  type?: 'email' | 'tel' | 'url' | 'date';
  autoComplete?: string;
  hint?: string;
  max: number;
}

const texts: readonly TextField[] = [
  { id: 'name', autoComplete: 'name', max: 100 },
  { id: 'headline', hint: words.hints.headline, max: 150 },
  { id: 'about', max: 2000 },
  { id: 'place', hint: words.hints.place, autoComplete: 'address-level2', max: 100 },
  { id: 'email', type: 'email', autoComplete: 'email', max: 254 },
  { id: 'phone', type: 'tel', autoComplete: 'tel', max: 40 },
  { id: 'website', type: 'url', hint: words.hints.website, autoComplete: 'url', max: 2000 },
  { id: 'birthday', type: 'date', autoComplete: 'bday', max: 10 },
];

/** What is wrong with a text, in words; the PDA names the field. */
function faultOf(field: ProfileText, problem: unknown): string | undefined {
  if (problem === undefined) return undefined;
  const found = toProblem(problem).details.find(({ path }) => path === `body.${field}`);
  if (found === undefined) return undefined;
  if (field === 'website') return words.badWebsite;
  return field === 'email' ? words.badEmail : found.problem;
}

/** Every field with its switch. Texts are kept by the button, switches hold at once. */
export function ProfileForm({ now }: { now: OwnerProfile }) {
  const [values, setValues] = useState<ProfileValues>(now.values);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    setProblem(undefined);
    try {
      const { values: kept } = await saveProfile(values);
      setValues(kept);
      showToast(words.saved);
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  const hasFault = texts.some(({ id }) => faultOf(id, problem) !== undefined);
  return (
    <form onSubmit={(event) => void save(event)} noValidate className={classes.form}>
      <Row field="photo" now={now} canShow={now.photo !== null}>
        <PhotoField photo={now.photo} />
      </Row>
      {texts.map(({ id, type = 'text', hint, autoComplete, max }) => {
        const input = {
          label: words.fields[id],
          description: hint,
          value: values[id] ?? '',
          error: faultOf(id, problem),
          maxLength: max,
          onChange: (event: { currentTarget: { value: string } }) => {
            const { value } = event.currentTarget;
            setValues((before) => ({ ...before, [id]: value }));
          },
        };
        return (
          <Row key={id} field={id} now={now} canShow={now.values[id] !== undefined}>
            {id === 'about' ? (
              <Textarea {...input} autosize minRows={2} maxRows={8} />
            ) : (
              <TextInput {...input} type={type} autoComplete={autoComplete} />
            )}
          </Row>
        );
      })}
      <Row field="notables" now={now} canShow>
        <div>
          <Text size="sm" fw={500}>
            {words.fields.notables}
          </Text>
          <Text size="sm" c="dimmed">
            {words.notables(now.notables)}
          </Text>
        </div>
      </Row>
      <div>
        <Button type="submit" loading={busy}>
          {words.save}
        </Button>
      </div>
      {!hasFault && <SubmitError problem={problem} />}
    </form>
  );
}

interface RowProps {
  field: ProfileField;
  now: OwnerProfile;
  /** There is something that could be seen. */
  canShow: boolean;
  children: ReactNode;
}

function Row({ field, now, canShow, children }: RowProps) {
  const [moving, setMoving] = useState(false);
  const { problem, run } = useSubmit();
  const isShown = now.public.includes(field);
  const change = async (to: boolean) => {
    setMoving(true);
    await run(() => setFieldPublic(field, to));
    setMoving(false);
  };
  return (
    <div className={classes.row}>
      {children}
      <Switch
        className={classes.switch ?? ''}
        checked={isShown}
        disabled={moving || (!canShow && !isShown)}
        label={words.shown}
        aria-label={words.showLabel(words.fields[field])}
        onChange={(event) => void change(event.currentTarget.checked)}
      />
      <SubmitError problem={problem} />
    </div>
  );
}
