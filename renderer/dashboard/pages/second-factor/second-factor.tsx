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
import { AddApp } from './app-setup.tsx';
import { AddPasskey } from './passkey-setup.tsx';
import { type Asking, AskProof } from './proof-dialog.tsx';
import { FEW, newsOf } from './notices.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { RenamePasskey } from './passkey-rename.tsx';
import classes from './second-factor.module.css';

const words = m.secondFactor;
const ICON = { size: 20, stroke: 1.5, 'aria-hidden': true } as const;

/** What is asked for beside the password, and how that changes. */
export function SecondFactor() {
  const now = useQuery(secondFactor);
  return (
    <Section title={words.title}>
      {now.isPending && <LoadingSkeleton rows={3} height={40} />}
      {now.isError && <LoadError error={now.error} retry={() => void now.refetch()} />}
      {now.data !== undefined && <Shown now={now.data} />}
    </Section>
  );
}

function Shown({ now }: { now: Factor }) {
  const [adding, setAdding] = useState<'app' | 'passkey'>();
  const [asking, setAsking] = useState<Asking>();
  const [renaming, setRenaming] = useState<{ passkeyId: string; name: string }>();
  const [codes, setCodes] = useState<string[] | null>(null);
  /** Said after it was switched on in this visit: who is in stays in. */
  const [turnedOn, setTurnedOn] = useState(false);
  const added = (made: string[] | null) => {
    setTurnedOn(made !== null);
    setCodes(made);
  };
  const isLast = now.passkeys.length + (now.app === null ? 0 : 1) === 1;

  return (
    <>
      <Text size="sm" c="dimmed" mb="md">
        {now.on ? (now.always ? words.onAlways : words.on) : words.off} {now.on && words.people}
      </Text>
      <News now={now} />
      <ul className={classes.parts}>
        <Part
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
            <Button variant="default" size="xs" onClick={() => setAdding('app')}>
              {now.app === null ? words.app.add : words.app.replace}
            </Button>
            {now.app !== null && (
              <Button
                variant="default"
                size="xs"
                c="var(--stop)"
                aria-label={words.app.removeLabel}
                onClick={() => setAsking({ what: 'app', isLast })}
              >
                {words.app.remove}
              </Button>
            )}
          </Group>
        </Part>
        <Passkeys
          now={now}
          add={() => setAdding('passkey')}
          rename={setRenaming}
          remove={(key) => setAsking({ what: 'passkey', ...key, isLast })}
        />
        {now.recovery !== null && (
          <Part
            picture={<IconLifebuoy {...ICON} />}
            name={words.recovery.title}
            facts={`${words.recovery.text} ${words.recovery.left(now.recovery.left, now.recovery.made)}.${now.recovery.left < FEW ? ` ${words.recovery.few}` : ''}`}
          >
            <Button variant="default" size="xs" onClick={() => setAsking({ what: 'codes' })}>
              {words.recovery.renew}
            </Button>
          </Part>
        )}
      </ul>
      {now.on && (
        <Group justify="space-between" mt="lg" gap="md" wrap="wrap">
          <Switch
            label={words.always.label}
            description={words.always.hint}
            checked={now.always}
            onChange={(event) => setAsking({ what: 'always', always: event.currentTarget.checked })}
            maw="32rem"
          />
          <Button variant="default" size="xs" c="var(--stop)" onClick={() => setAsking({ what: 'off' })}>
            {words.turnOff.action}
          </Button>
        </Group>
      )}
      {turnedOn && now.on && <OthersAreIn />}
      <AddApp opened={adding === 'app'} replaces={now.app !== null} close={() => setAdding(undefined)} added={added} />
      <AddPasskey opened={adding === 'passkey'} close={() => setAdding(undefined)} added={added} />
      <RenamePasskey passkey={renaming} close={() => setRenaming(undefined)} />
      <AskProof asking={asking} close={() => setAsking(undefined)} codes={setCodes} />
      <RecoveryCodes codes={codes} close={() => setCodes(null)} />
    </>
  );
}

interface PartProps {
  picture: ReactNode;
  name: string;
  facts: ReactNode;
  /** Under them. */
  more?: ReactNode;
  children: ReactNode;
}

function Part({ picture, name, facts, more, children }: PartProps) {
  return (
    <li>
      {picture}
      <div className={classes.what}>
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
  const why =
    now.passkeyAddress === null
      ? passkeys.notHere(location.host, localAddress)
      : supportsPasskeys()
        ? undefined
        : passkeys.notKnown;
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
                {!key.here && ` · ${passkeys.elsewhere(key.address)}`}
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
    <Part
      picture={<IconFingerprint {...ICON} />}
      name={passkeys.title}
      facts={why === undefined ? passkeys.none : `${passkeys.none} ${why}`}
      more={keys}
    >
      {why === undefined ? (
        <Button variant="default" size="xs" onClick={add}>
          {passkeys.add}
        </Button>
      ) : (
        <span />
      )}
    </Part>
  );
}

/** What was used or tried since the owner last said to have seen it. */
function News({ now }: { now: Factor }) {
  const news = newsOf(now).filter(({ isNews }) => isNews);
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
        {news.length === 1 ? words.seen : words.seenAll}
      </Button>
    </div>
  );
}

function OthersAreIn() {
  const others = (useQuery(sessions).data ?? []).filter(({ kind, current }) => kind === 'owner' && !current).length;
  return others === 0 ? null : (
    <Text size="sm" mt="md" role="status">
      {words.sessions(others)}
    </Text>
  );
}
