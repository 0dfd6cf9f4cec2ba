import { Button, Checkbox, Radio, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type Exposure, type ExposureWay, changeExposure } from '../../api/account/exposure.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './exposure-page.module.css';
import { isPublicOrigin } from './status-text.ts';
import { TermsText } from './terms.tsx';
import {
  type FieldErrors,
  type AccessModeFields,
  addressOf,
  toExposureChange,
  cleanAddress,
  cleanDomain,
  isLocalDomain,
  readerOf,
} from './access-mode-rules.ts';

const texts = m.exposure.accessMode;
const URL_FIELD = { type: 'url', autoCapitalize: 'none', spellCheck: false, maxLength: 300 } as const;
const ACCESS_MODES: readonly ExposureWay[] = ['none', 'tunnel', 'own', 'localtunnel'];

interface FieldGroupProps {
  fields: AccessModeFields;
  errors: FieldErrors;
  set: (change: Partial<AccessModeFields>) => void;
}

export function AccessModeForm({ exposure, close }: { exposure: Exposure; close: () => void }) {
  const [fields, setFields] = useState<AccessModeFields>({
    way: exposure.way,
    relay: exposure.relay ?? '',
    domain: exposure.domain ?? '',
    agreed: false,
    publicUrl: exposure.publicUrl ?? '',
    host: exposure.localtunnel?.host ?? '',
    subdomain: exposure.localtunnel?.subdomain ?? exposure.name,
    agreedToReader: false,
    passwordSignIn: false,
  });
  const [errors, setErrors] = useState<FieldErrors>({});
  const { busy, problem, run } = useSubmit();
  const form = useRef<HTMLFormElement>(null);
  // The button that opened the form no longer exists, so the focus moves to the selected option.
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input:checked')?.focus(), []);
  const set = (change: Partial<AccessModeFields>) => {
    setFields((currentFields) => ({ ...currentFields, ...change }));
    setErrors({});
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const result = toExposureChange(fields, exposure.terms);
    if ('errors' in result) {
      setErrors(result.errors);
      return;
    }
    void run(async () => {
      await changeExposure(result.change);
      showToast(texts.saved[result.change.way]);
      close();
    });
  };
  return (
    <form ref={form} onSubmit={submit} noValidate className={classes.form}>
      {isPublicOrigin(exposure.address, location.origin) && <Callout tone="attention">{texts.outside}</Callout>}
      <Radio.Group
        label={texts.choice}
        value={fields.way}
        onChange={(value) => set({ way: ACCESS_MODES.find((mode) => mode === value) ?? 'none' })}
      >
        <Stack gap="md" mt="sm">
          {ACCESS_MODES.map((mode) => (
            <Radio key={mode} value={mode} label={texts[mode].label} description={texts[mode].text} />
          ))}
        </Stack>
      </Radio.Group>
      {fields.way === 'tunnel' && <TunnelFields name={exposure.name} fields={fields} errors={errors} set={set} />}
      {fields.way === 'own' && <OwnFields fields={fields} errors={errors} set={set} />}
      {fields.way === 'localtunnel' && <LocaltunnelFields fields={fields} errors={errors} set={set} />}
      <Consequences points={consequencesOf(fields, exposure)} />
      {fields.way === 'tunnel' && exposure.terms !== null && !isLocalDomain(fields.domain) && (
        <TermsField terms={exposure.terms} fields={fields} errors={errors} set={set} />
      )}
      {fields.way === 'localtunnel' && <ReaderConsent fields={fields} errors={errors} set={set} />}
      <div className={classes.actions}>
        <Button
          type="submit"
          loading={busy}
          color={fields.way === 'none' && exposure.way !== 'none' ? 'brick' : 'teal'}
        >
          {texts[fields.way].submit}
        </Button>
        <Button variant="default" onClick={close}>
          {m.shell.cancel}
        </Button>
      </div>
      <SubmitError problem={problem} />
    </form>
  );
}

function consequencesOf({ way, domain, relay, host }: AccessModeFields, { name, terms }: Exposure): readonly string[] {
  if (way === 'localtunnel') return texts.localtunnel.points(readerOf(host) ?? texts.localtunnel.thatServer);
  if (way !== 'tunnel') return texts[way].points;
  if (isLocalDomain(domain)) return texts.tunnel.local(addressOf(name, domain, relay));
  const points = texts.tunnel.points(domain.trim() === '' ? texts.tunnel.yourAddress : addressOf(name, domain, relay));
  return terms === null ? [...points, texts.tunnel.termsLater] : points;
}

function Consequences({ points }: { points: readonly string[] }) {
  return (
    <div className={classes.consequences}>
      <Text fw={500}>{texts.meansTitle}</Text>
      <ul>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </div>
  );
}

function TunnelFields({ name, fields, errors, set }: FieldGroupProps & { name: string }) {
  const domain = cleanDomain(fields.domain);
  const [isDomainUntouched, setIsDomainUntouched] = useState(domain === '');
  // Most relays run at the parent domain of their PDAs' names, so the domain is suggested from the relay's address.
  const setRelay = (relay: string) => {
    const address = cleanAddress(relay);
    set(isDomainUntouched ? { relay, domain: URL.canParse(address) ? new URL(address).hostname : '' } : { relay });
  };
  return (
    <Stack gap="md" maw="30rem">
      <TextInput
        label={texts.tunnel.relay}
        description={texts.tunnel.relayHint}
        {...URL_FIELD}
        value={fields.relay}
        error={errors.relay}
        onChange={(event) => setRelay(event.currentTarget.value)}
      />
      <TextInput
        label={texts.tunnel.domain}
        description={texts.tunnel.domainHint(name, domain === '' ? texts.tunnel.domainExample : domain)}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={200}
        value={fields.domain}
        error={errors.domain}
        onChange={(event) => {
          setIsDomainUntouched(false);
          set({ domain: event.currentTarget.value });
        }}
      />
    </Stack>
  );
}

function TermsField({ terms, fields, errors, set }: FieldGroupProps & { terms: string }) {
  return (
    <Stack align="flex-start" gap="sm">
      <Checkbox
        label={texts.tunnel.agree}
        checked={fields.agreed}
        error={errors.agreed}
        onChange={(event) => set({ agreed: event.currentTarget.checked })}
      />
      <TermsText terms={terms} />
    </Stack>
  );
}

function OwnFields({ fields, errors, set }: FieldGroupProps) {
  return (
    <Stack gap="md" maw="30rem">
      <TextInput
        label={texts.own.address}
        description={texts.own.hint}
        {...URL_FIELD}
        value={fields.publicUrl}
        error={errors.publicUrl}
        onChange={(event) => set({ publicUrl: event.currentTarget.value })}
      />
      {/^http:/iu.test(fields.publicUrl.trim()) && <Callout tone="error">{texts.own.plain}</Callout>}
    </Stack>
  );
}

function LocaltunnelFields({ fields, errors, set }: FieldGroupProps) {
  return (
    <Stack gap="md" maw="30rem">
      <TextInput
        label={texts.localtunnel.host}
        description={texts.localtunnel.hostHint}
        {...URL_FIELD}
        value={fields.host}
        error={errors.host}
        // The consent names one host, so it is reset when the host changes.
        onChange={(event) => set({ host: event.currentTarget.value, agreedToReader: false, passwordSignIn: false })}
      />
      <TextInput
        label={texts.localtunnel.subdomain}
        description={texts.localtunnel.subdomainHint}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={63}
        value={fields.subdomain}
        error={errors.subdomain}
        onChange={(event) => set({ subdomain: event.currentTarget.value })}
      />
    </Stack>
  );
}

/** Asks for consent to the localtunnel server reading all traffic and, optionally, to sign-in with passwords. */
function ReaderConsent({ fields, errors, set }: FieldGroupProps) {
  const reader = readerOf(fields.host) ?? texts.localtunnel.thatServer;
  return (
    <Stack align="flex-start" gap="sm">
      <Checkbox
        label={texts.localtunnel.agree(reader)}
        checked={fields.agreedToReader}
        error={errors.agreedToReader}
        onChange={(event) => set({ agreedToReader: event.currentTarget.checked })}
      />
      <Checkbox
        label={texts.localtunnel.passwordSignIn(reader)}
        checked={fields.passwordSignIn}
        onChange={(event) => set({ passwordSignIn: event.currentTarget.checked })}
      />
    </Stack>
  );
}
