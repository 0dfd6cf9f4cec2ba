import { Button, Group, Switch, Text } from '@mantine/core';
import { IconDeviceMobile, IconFingerprint, IconLifebuoy } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { sessions } from '../../api/queries.ts';
import {
  type SecondFactor as Factor,
  acknowledgeChanges,
  supportsPasskeys,
  secondFactor,
} from '../../api/account/second-factor.ts';
import { Callout, Callouts } from '../../../shared/components/callout.tsx';
import { Section } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { AppSetup } from './app-setup.tsx';
import { PasskeySetup } from './passkey-setup.tsx';
import { type FactorChange, ProofDialog } from './proof-dialog.tsx';
import { LOW_RECOVERY_CODES, secondFactorNotices } from './notices.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { RenamePasskey } from './passkey-rename.tsx';
import classes from './second-factor.module.css';

const words = m.secondFactor;
const ICON = { size: 20, stroke: 1.5, 'aria-hidden': true } as const;

/** Section that manages the second factor. */
export function SecondFactor() {
  const result = useQuery(secondFactor);
  return (
    <Section title={words.title}>
      {result.isPending && <LoadingSkeleton rows={3} height={40} />}
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {result.data !== undefined && <FactorSettings now={result.data} />}
    </Section>
  );
}

function FactorSettings({ now }: { now: Factor }) {
  const [settingUp, setSettingUp] = useState<'app' | 'passkey'>();
  const [pendingChange, setPendingChange] = useState<FactorChange>();
  const [renaming, setRenaming] = useState<{ passkeyId: string; name: string }>();
  const [codes, setCodes] = useState<string[] | null>(null);
  /** True after the second factor was turned on in this visit; existing sessions stay signed in. */
  const [turnedOn, setTurnedOn] = useState(false);
  const onAdded = (newCodes: string[] | null) => {
    setTurnedOn(newCodes !== null);
    setCodes(newCodes);
  };
  const isLast = now.passkeys.length + (now.app === null ? 0 : 1) === 1;

  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        {now.on ? (now.always ? words.onAlways : words.on) : words.off} {now.on && words.people}
      </Text>
      <FactorNotices now={now} />
      <ul className={classes.parts}>
        <FactorItem
          picture={<IconDeviceMobile {...ICON} />}
          name={words.app.title}
          facts={
            now.app === null ? (
              words.app.none
            ) : (
              <>
                {words.app.since} <RelativeTime at={now.app.since} />
              </>
            )
          }
        >
          <Group gap="xs">
            <Button variant="default" size="xs" onClick={() => setSettingUp('app')}>
              {now.app === null ? words.app.add : words.app.replace}
            </Button>
            {now.app !== null && (
              <Button
                variant="default"
                size="xs"
                c="var(--stop)"
                aria-label={words.app.removeLabel}
                onClick={() => setPendingChange({ kind: 'app', isLast })}
              >
                {words.app.remove}
              </Button>
            )}
          </Group>
        </FactorItem>
        <Passkeys
          now={now}
          add={() => setSettingUp('passkey')}
          rename={setRenaming}
          remove={(key) => setPendingChange({ kind: 'passkey', ...key, isLast })}
        />
        {now.recovery !== null && (
          <FactorItem
            picture={<IconLifebuoy {...ICON} />}
            name={words.recovery.title}
            facts={`${words.recovery.text} ${words.recovery.remaining(now.recovery.left, now.recovery.made)}.${now.recovery.left < LOW_RECOVERY_CODES ? ` ${words.recovery.few}` : ''}`}
          >
            <Button variant="default" size="xs" onClick={() => setPendingChange({ kind: 'codes' })}>
              {words.recovery.renew}
            </Button>
          </FactorItem>
        )}
      </ul>
      {now.on && (
        <Group justify="space-between" mt="lg" gap="md" wrap="wrap">
          <Switch
            label={words.always.label}
            description={words.always.hint}
            checked={now.always}
            onChange={(event) => setPendingChange({ kind: 'always', always: event.currentTarget.checked })}
            maw="32rem"
          />
          <Button variant="default" size="xs" c="var(--stop)" onClick={() => setPendingChange({ kind: 'off' })}>
            {words.turnOff.action}
          </Button>
        </Group>
      )}
      {turnedOn && now.on && <OtherSessionsNotice />}
      <AppSetup
        opened={settingUp === 'app'}
        replaces={now.app !== null}
        close={() => setSettingUp(undefined)}
        onAdded={onAdded}
      />
      <PasskeySetup opened={settingUp === 'passkey'} close={() => setSettingUp(undefined)} onAdded={onAdded} />
      <RenamePasskey passkey={renaming} close={() => setRenaming(undefined)} />
      <ProofDialog change={pendingChange} close={() => setPendingChange(undefined)} onCodes={setCodes} />
      <RecoveryCodes codes={codes} close={() => setCodes(null)} />
    </>
  );
}

interface FactorItemProps {
  picture: ReactNode;
  name: string;
  facts: ReactNode;
  /** Content below the facts. */
  more?: ReactNode;
  children: ReactNode;
}

function FactorItem({ picture, name, facts, more, children }: FactorItemProps) {
  return (
    <li>
      {picture}
      <div className={classes.description}>
        <span className={classes.name}>{name}</span>
        <span className={classes.facts}>{facts}</span>
      </div>
      {children}
      {more !== undefined && <div className={classes.more}>{more}</div>}
    </li>
  );
}

interface PasskeysProps {
  now: Factor;
  add: () => void;
  rename: (key: { passkeyId: string; name: string }) => void;
  remove: (key: { passkeyId: string; name: string }) => void;
}

function Passkeys({ now, add, rename, remove }: PasskeysProps) {
  const { passkeys } = words;
  const localAddress = `http://localhost:${location.port}`;
  const unavailableReason =
    now.passkeyAddress === null
      ? passkeys.unsupportedAddress(location.host, localAddress)
      : supportsPasskeys()
        ? undefined
        : passkeys.unsupportedBrowser;
  const keys =
    now.passkeys.length === 0 ? undefined : (
      <ul className={classes.keys} aria-label={passkeys.title}>
        {now.passkeys.map((key) => (
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
                {!key.here && ` · ${passkeys.otherAddress(key.address)}`}
              </span>
            </div>
            <Group gap="xs">
              <Button
                variant="default"
                size="xs"
                aria-label={passkeys.rename.label(key.name)}
                onClick={() => rename(key)}
              >
                {passkeys.rename.action}
              </Button>
              <Button
                variant="default"
                size="xs"
                c="var(--stop)"
                aria-label={passkeys.removeLabel(key.name)}
                onClick={() => remove(key)}
              >
                {passkeys.remove}
              </Button>
            </Group>
          </li>
        ))}
      </ul>
    );
  return (
    <FactorItem
      picture={<IconFingerprint {...ICON} />}
      name={passkeys.title}
      facts={unavailableReason === undefined ? passkeys.none : `${passkeys.none} ${unavailableReason}`}
      more={keys}
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

/** Notices since the owner last acknowledged them. */
function FactorNotices({ now }: { now: Factor }) {
  const news = secondFactorNotices(now).filter(({ isNews }) => isNews);
  if (news.length === 0) return null;
  return (
    <div className={classes.news}>
      <Callouts>
        {news.map(({ title, text }) => (
          <li key={title}>
            <Callout tone="error" title={title}>
              {text}
            </Callout>
          </li>
        ))}
      </Callouts>
      <Button variant="default" size="xs" onClick={() => void acknowledgeChanges()}>
        {news.length === 1 ? words.acknowledge : words.acknowledgeAll}
      </Button>
    </div>
  );
}

function OtherSessionsNotice() {
  const otherSessions = (useQuery(sessions).data ?? []).filter(
    ({ kind, current }) => kind === 'owner' && !current,
  ).length;
  return otherSessions === 0 ? null : (
    <Text size="sm" mt="md" role="status">
      {words.sessions(otherSessions)}
    </Text>
  );
}
