import { Button, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { SubmitError } from '../../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../../shared/feedback/use-submit.ts';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './network-page.module.css';

interface AddressFormProps {
  label: string;
  submitLabel: string;
  initialAddress?: string;
  /** Receives a URL with a scheme: the form adds `https` if there is none. */
  save: (url: string) => Promise<void>;
  cancel?: (() => void) | undefined;
  /** Less prominent style for a secondary form. */
  quiet?: boolean;
}

export function AddressForm({
  label,
  submitLabel,
  initialAddress = '',
  save,
  cancel,
  quiet = false,
}: AddressFormProps) {
  const [text, setText] = useState(initialAddress);
  const [isMissing, setIsMissing] = useState(false);
  const { busy, problem, run } = useSubmit();
  const send = (event: FormEvent) => {
    event.preventDefault();
    const address = text.trim();
    setIsMissing(address === '');
    if (address !== '') void run(() => save(/^[a-z]+:\/\//i.test(address) ? address : `https://${address}`));
  };
  return (
    <form onSubmit={send} noValidate className={classes.form}>
      <TextInput
        label={label}
        description={m.network.addressHint}
        type="url"
        autoCapitalize="none"
        spellCheck={false}
        value={text}
        error={isMissing && m.network.missing}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setIsMissing(false);
        }}
      />
      <div className={classes.actions}>
        <Button type="submit" variant={quiet ? 'default' : 'filled'} loading={busy}>
          {submitLabel}
        </Button>
        {cancel !== undefined && (
          <Button variant="default" onClick={cancel}>
            {m.shell.cancel}
          </Button>
        )}
      </div>
      <SubmitError problem={problem} />
    </form>
  );
}
