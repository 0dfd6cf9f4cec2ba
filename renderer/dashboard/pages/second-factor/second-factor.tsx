import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { IconDeviceMobile, IconFingerprint, IconLifebuoy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { owner, sessions } from '../../api/queries.ts';
import {
  type SecondFactor as Factor,
  acknowledgeNotices,
  supportsPasskeys,
  secondFactor,
} from '../../api/account/second-factor.ts';
import { Callout, Callouts } from '../../../shared/components/callout.tsx';
import { Section } from '../../components/page.tsx';
import { ActionButton } from '../../../shared/feedback/action-button.tsx';
import { runWithToast } from '../../../shared/feedback/toasts.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { AppSetup } from './app-setup.tsx';
import { localAddressOf } from './local-address.ts';
import { PasskeySetup } from './passkey-setup.tsx';
import { type FactorChange, ProofDialog } from './proof-dialog.tsx';
import { MIN_RECOVERY_CODES, secondFactorNotices } from './notices.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { RenamePasskey } from './passkey-rename.tsx';
import classes from './second-factor.module.css';

const texts = m.secondFactor;
const ICON_PROPS = { size: 20, stroke: 1.5, 'aria-hidden': true } as const;

export function SecondFactor() {
  const result = useQuery(secondFactor);
  return (
    <Section title={texts.title}>
      <QueryBoundary query={result} rows={3} height={40} />
      {result.data !== undefined && <FactorSettings factor={result.data} />}
    </Section>
  );
}

function FactorSettings({ factor }: { factor: Factor }) {
  const [methodToSetUp, setMethodToSetUp] = useState<'app' | 'passkey'>();
  const [pendingChange, setPendingChange] = useState<FactorChange>();
  const [passkeyToRename, setPasskeyToRename] = useState<{ passkeyId: string; name: string }>();
  const [codes, setCodes] = useState<string[] | null>(null);
  /**
   * True if the last added method turned the second factor on. A notice then says that existing sessions stay signed
   * in.
   */
  const [hasTurnedOn, setHasTurnedOn] = useState(false);
  const onAdded = (newCodes: string[] | null) => {
    setHasTurnedOn(newCodes !== null);
    setCodes(newCodes);
  };
  const isLast = factor.passkeys.length + (factor.app === null ? 0 : 1) === 1;

  return (
    <>
      <Text c="dimmed" mb="md">
        {factor.on ? (factor.always ? texts.onAlways : texts.on) : texts.off} {factor.on && texts.people}
      </Text>
      <FactorNotices factor={factor} />
      <ul className={classes.factors}>
        <FactorItem
          picture={<IconDeviceMobile {...ICON_PROPS} />}
          name={texts.app.title}
          facts={
            factor.app === null ? (
              texts.app.none
            ) : (
              <>
                {m.secondFactor.passkeys.created} <RelativeTime at={factor.app.since} />
              </>
            )
          }
        >
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => setMethodToSetUp('app')}>
              {factor.app === null ? texts.app.add : texts.app.replace}
            </Button>
            {factor.app !== null && (
              <Button
                variant="default"
                size="xs"
                c="var(--stop)"
                aria-label={texts.app.removeLabel}
                onClick={() => setPendingChange({ kind: 'app', isLast })}
              >
                {m.shell.remove}
              </Button>
            )}
          </Group>
        </FactorItem>
        <Passkeys
          factor={factor}
          add={() => setMethodToSetUp('passkey')}
          rename={setPasskeyToRename}
          remove={(key) => setPendingChange({ kind: 'passkey', ...key, isLast })}
        />
        {factor.recovery !== null && (
          <FactorItem
            picture={<IconLifebuoy {...ICON_PROPS} />}
            name={texts.recovery.title}
            facts={`${texts.recovery.text} ${texts.recovery.remaining(factor.recovery.left, factor.recovery.made)}.${factor.recovery.left < MIN_RECOVERY_CODES ? ` ${texts.recovery.few}` : ''}`}
          >
            <Button variant="default" size="xs" onClick={() => setPendingChange({ kind: 'codes' })}>
              {texts.recovery.renew}
            </Button>
          </FactorItem>
        )}
      </ul>
      {factor.on && (
        <Group justify="space-between" mt="lg" gap="md" wrap="wrap">
          <Switch
            label={texts.always.label}
            description={texts.always.hint}
            checked={factor.always}
            onChange={(event) => setPendingChange({ kind: 'always', always: event.currentTarget.checked })}
            maw="32rem"
          />
          <Button variant="default" size="xs" c="var(--stop)" onClick={() => setPendingChange({ kind: 'off' })}>
            {texts.turnOff.action}
          </Button>
        </Group>
      )}
      {hasTurnedOn && factor.on && <OtherSessionsNotice />}
      <AppSetup
        opened={methodToSetUp === 'app'}
        isReplacement={factor.app !== null}
        close={() => setMethodToSetUp(undefined)}
        onAdded={onAdded}
      />
      <PasskeySetup opened={methodToSetUp === 'passkey'} close={() => setMethodToSetUp(undefined)} onAdded={onAdded} />
      <RenamePasskey passkey={passkeyToRename} close={() => setPasskeyToRename(undefined)} />
      <ProofDialog change={pendingChange} close={() => setPendingChange(undefined)} onCodes={setCodes} />
      <RecoveryCodes codes={codes} close={() => setCodes(null)} />
    </>
  );
}

interface FactorItemProps {
  picture: ReactNode;
  name: string;
  facts: ReactNode;
  details?: ReactNode;
  children: ReactNode;
}

function FactorItem({ picture, name, facts, details, children }: FactorItemProps) {
  return (
    <li>
      {picture}
      <Stack gap={2}>
        <span className={classes.name}>{name}</span>
        <span className={classes.facts}>{facts}</span>
      </Stack>
      {children}
      {details !== undefined && <div className={classes.details}>{details}</div>}
    </li>
  );
}

interface PasskeysProps {
  factor: Factor;
  add: () => void;
  rename: (key: { passkeyId: string; name: string }) => void;
  remove: (key: { passkeyId: string; name: string }) => void;
}

function Passkeys({ factor, add, rename, remove }: PasskeysProps) {
  const { passkeys } = texts;
  const localAddress = localAddressOf(useQuery(owner).data?.addresses ?? []);
  const unavailableReason =
    factor.passkeyAddress === null
      ? passkeys.unsupportedAddress(location.host, localAddress)
      : supportsPasskeys()
        ? undefined
        : passkeys.unsupportedBrowser;
  const keys =
    factor.passkeys.length === 0 ? undefined : (
      <ul className={classes.keys} aria-label={passkeys.title}>
        {factor.passkeys.map((key) => (
          <li key={key.passkeyId}>
            <div>
              <span>{key.name}</span>
              <span className={classes.facts}>
                {passkeys.created} <RelativeTime at={key.created} /> ·{' '}
                {key.lastUsed === null ? (
                  passkeys.never
                ) : (
                  <>
                    {passkeys.lastUsed} <RelativeTime at={key.lastUsed} />
                  </>
                )}
                {!key.usableHere && ` · ${passkeys.otherAddress(key.address)}`}
              </span>
            </div>
            <Group gap="xs">
              <Button
                variant="default"
                size="xs"
                aria-label={passkeys.rename.label(key.name)}
                onClick={() => rename(key)}
              >
                {m.shell.rename}
              </Button>
              <Button
                variant="default"
                size="xs"
                c="var(--stop)"
                aria-label={passkeys.removeLabel(key.name)}
                onClick={() => remove(key)}
              >
                {m.shell.remove}
              </Button>
            </Group>
          </li>
        ))}
      </ul>
    );
  return (
    <FactorItem
      picture={<IconFingerprint {...ICON_PROPS} />}
      name={passkeys.title}
      facts={unavailableReason === undefined ? passkeys.text : `${passkeys.text} ${unavailableReason}`}
      details={keys}
    >
      {unavailableReason === undefined ? (
        <Button variant="default" size="xs" onClick={add}>
          {passkeys.add}
        </Button>
      ) : (
        <span />
      )}
    </FactorItem>
  );
}

function FactorNotices({ factor }: { factor: Factor }) {
  const notices = secondFactorNotices(factor).filter(({ needsAcknowledgement }) => needsAcknowledgement);
  if (notices.length === 0) return null;
  return (
    <div className={classes.notices}>
      <Callouts>
        {notices.map(({ title, text }) => (
          <li key={title}>
            <Callout tone="error" title={title}>
              {text}
            </Callout>
          </li>
        ))}
      </Callouts>
      <ActionButton action={() => runWithToast(acknowledgeNotices)}>
        {notices.length === 1 ? texts.acknowledge : texts.acknowledgeAll}
      </ActionButton>
    </div>
  );
}

function OtherSessionsNotice() {
  const otherSessionCount = (useQuery(sessions).data ?? []).filter(
    ({ kind, current }) => kind === 'owner' && !current,
  ).length;
  return otherSessionCount === 0 ? null : (
    <Text mt="md" role="status">
      {texts.sessions(otherSessionCount)}
    </Text>
  );
}
