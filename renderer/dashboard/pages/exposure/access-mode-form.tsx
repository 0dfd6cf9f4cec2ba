import { Button, Checkbox, Radio, Text, TextInput } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { type Exposure, type WayOut, changeExposure } from '../../api/account/exposure.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './exposure-page.module.css';
import { isOutside } from './status-text.ts';
import { TermsText } from './terms.tsx';
import {
  type Faults,
  type Fields,
  addressOf,
  changeOf,
  cleanAddress,
  cleanDomain,
  isLocalDomain,
  readerOf,
} from './access-mode-rules.ts';

const words = m.exposure.way;
const URL_FIELD = { type: 'url', autoCapitalize: 'none', spellCheck: false, maxLength: 300 } as const;
const WAYS: readonly WayOut[] = ['none', 'tunnel', 'own', 'localtunnel'];

interface PartProps {
  fields: Fields;
  faults: Faults;
  set: (change: Partial<Fields>) => void;
}

/** One of four ways; what each means is said before it is taken. */
export function WayForm({ now, close }: { now: Exposure; close: () => void }) {
  const [fields, setFields] = useState<Fields>({
    way: now.way,
    relay: now.relay ?? '',
    domain: now.domain ?? '',
    agreed: false,
    publicUrl: now.publicUrl ?? '',
    host: now.localtunnel?.host ?? '',
    subdomain: now.localtunnel?.subdomain ?? now.name,
    readable: false,
    passwordSignIn: false,
  });
  const [faults, setFaults] = useState<Faults>({});
  const { busy, problem, run } = useSubmit();
  const form = useRef<HTMLFormElement>(null);
  // What it was opened by is gone: the choice as it is now takes its place.
  useEffect(() => form.current?.querySelector<HTMLInputElement>('input:checked')?.focus(), []);
  const set = (change: Partial<Fields>) => {
    setFields((before) => ({ ...before, ...change }));
    setFaults({});
  };
  const send = (event: FormEvent) => {
    event.preventDefault();
    const found = changeOf(fields, now.terms);
    if ('faults' in found) {
      setFaults(found.faults);
      return;
    }
    void run(async () => {
      await changeExposure(found.change);
      showToast(words.saved[found.change.way]);
      close();
    });
  };
  return (
    <form ref={form} onSubmit={send} noValidate className={classes.form}>
      {isOutside(now.address, location.origin) && <Callout tone="attention">{words.outside}</Callout>}
      <Radio.Group
        label={words.choice}
        value={fields.way}
        onChange={(value) => set({ way: WAYS.find((way) => way === value) ?? 'none' })}
      >
        <div className={classes.ways}>
          {WAYS.map((way) => (
            <Radio key={way} value={way} label={words[way].label} description={words[way].text} />
          ))}
        </div>
      </Radio.Group>
      {fields.way === 'tunnel' && <TunnelFields name={now.name} fields={fields} faults={faults} set={set} />}
      {fields.way === 'own' && <OwnFields fields={fields} faults={faults} set={set} />}
      {fields.way === 'localtunnel' && <LocaltunnelFields fields={fields} faults={faults} set={set} />}
      <Means points={pointsOf(fields, now)} />
      {fields.way === 'tunnel' && now.terms !== null && !isLocalDomain(fields.domain) && (
        <Terms terms={now.terms} fields={fields} faults={faults} set={set} />
      )}
      {fields.way === 'localtunnel' && <Reader fields={fields} faults={faults} set={set} />}
      <div className={classes.actions}>
        <Button type="submit" loading={busy} color={fields.way === 'none' && now.way !== 'none' ? 'brick' : 'teal'}>
          {words[fields.way].submit}
        </Button>
        <Button variant="default" onClick={close}>
          {m.shell.cancel}
        </Button>
      </div>
      <SubmitError problem={problem} />
    </form>
  );
}

function pointsOf({ way, domain, relay, host }: Fields, { name, terms }: Exposure): readonly string[] {
  if (way === 'localtunnel') return words.localtunnel.points(readerOf(host) ?? words.localtunnel.thatServer);
  if (way !== 'tunnel') return words[way].points;
  if (isLocalDomain(domain)) return words.tunnel.local(addressOf(name, domain, relay));
  const points = words.tunnel.points(domain.trim() === '' ? words.tunnel.yourAddress : addressOf(name, domain, relay));
  return terms === null ? [...points, words.tunnel.termsLater] : points;
}

function Means({ points }: { points: readonly string[] }) {
  return (
    <div className={classes.consequences}>
      <Text size="sm" fw={500}>
        {words.meansTitle}
      </Text>
      <ul>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </div>
  );
}

function TunnelFields({ name, fields, faults, set }: PartProps & { name: string }) {
  const domain = cleanDomain(fields.domain);
  const [isUntouched, setUntouched] = useState(domain === '');
  // A relay usually answers at the domain that its names are under.
  const relayIs = (relay: string) => {
    const address = cleanAddress(relay);
    set(isUntouched ? { relay, domain: URL.canParse(address) ? new URL(address).hostname : '' } : { relay });
  };
  return (
    <div className={classes.fields}>
      <TextInput
        label={words.tunnel.relay}
        description={words.tunnel.relayHint}
        {...URL_FIELD}
        value={fields.relay}
        error={faults.relay}
        onChange={(event) => relayIs(event.currentTarget.value)}
      />
      <TextInput
        label={words.tunnel.domain}
        description={words.tunnel.domainHint(name, domain === '' ? words.tunnel.domainExample : domain)}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={200}
        value={fields.domain}
        error={faults.domain}
        onChange={(event) => {
          setUntouched(false);
          set({ domain: event.currentTarget.value });
        }}
      />
    </div>
  );
}

function Terms({ terms, fields, faults, set }: PartProps & { terms: string }) {
  return (
    <div className={classes.terms}>
      <Checkbox
        label={words.tunnel.agree}
        checked={fields.agreed}
        error={faults.agreed}
        onChange={(event) => set({ agreed: event.currentTarget.checked })}
      />
      <TermsText terms={terms} />
    </div>
  );
}

function OwnFields({ fields, faults, set }: PartProps) {
  return (
    <div className={classes.fields}>
      <TextInput
        label={words.own.address}
        description={words.own.hint}
        {...URL_FIELD}
        value={fields.publicUrl}
        error={faults.publicUrl}
        onChange={(event) => set({ publicUrl: event.currentTarget.value })}
      />
      {/^http:/iu.test(fields.publicUrl.trim()) && <Callout tone="error">{words.own.plain}</Callout>}
    </div>
  );
}

function LocaltunnelFields({ fields, faults, set }: PartProps) {
  return (
    <div className={classes.fields}>
      <TextInput
        label={words.localtunnel.host}
        description={words.localtunnel.hostHint}
        {...URL_FIELD}
        value={fields.host}
        error={faults.host}
        // An agreement names one host: for another one it has to be given again.
        onChange={(event) => set({ host: event.currentTarget.value, readable: false, passwordSignIn: false })}
      />
      <TextInput
        label={words.localtunnel.subdomain}
        description={words.localtunnel.subdomainHint}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={63}
        value={fields.subdomain}
        error={faults.subdomain}
        onChange={(event) => set({ subdomain: event.currentTarget.value })}
      />
    </div>
  );
}

/** The agreement that the server can read everything, and the one that it can read passwords. */
function Reader({ fields, faults, set }: PartProps) {
  const reader = readerOf(fields.host) ?? words.localtunnel.thatServer;
  return (
    <div className={classes.terms}>
      <Checkbox
        label={words.localtunnel.agree(reader)}
        checked={fields.readable}
        error={faults.readable}
        onChange={(event) => set({ readable: event.currentTarget.checked })}
      />
      <Checkbox
        label={words.localtunnel.passwordSignIn(reader)}
        checked={fields.passwordSignIn}
        onChange={(event) => set({ passwordSignIn: event.currentTarget.checked })}
      />
    </div>
  );
}
