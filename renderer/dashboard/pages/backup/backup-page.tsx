import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Backup, backup } from '../../api/account/backup.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Page, Section } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';
import { RecoveryKey } from './recovery-key.tsx';
import { PassphraseSection, SettingsForm } from './settings-form.tsx';
import { SetUpForm } from './set-up-form.tsx';
import { StateBlock } from './status.tsx';

const words = m.backup;

/** If this computer were gone tomorrow, what would come back? */
export function BackupPage() {
  const now = useQuery(backup);
  const [key, setKey] = useState<string | null>(null);
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle}>
      {now.isPending && <LoadingSkeleton rows={6} height={28} />}
      {now.isError && <LoadError error={now.error} retry={() => void now.refetch()} />}
      {now.data !== undefined && <Known now={now.data} show={setKey} />}
      <RecoveryKey value={key} close={() => setKey(null)} />
    </Page>
  );
}

function Known({ now, show }: { now: Backup; show: (recoveryKey: string) => void }) {
  if (now.folder === null) {
    return (
      <>
        <Callout tone="attention" title={words.state.none}>
          {words.state.noneText}
        </Callout>
        <Section title={words.setUp.title}>
          <SetUpForm show={show} />
        </Section>
        {now.backups.length > 0 && <Backups now={now} />}
      </>
    );
  }
  return (
    <>
      <StateBlock now={now} />
      <Backups now={now} />
      <SettingsForm key={now.folder} now={now} />
      <PassphraseSection show={show} />
    </>
  );
}

function Backups({ now }: { now: Backup }) {
  const texts = words.list;
  const proven = new Set([now.proven?.number, now.provenWhole?.number]);
  return (
    <Section title={texts.title}>
      {now.backups.length === 0 && (
        <Text size="sm" c="dimmed">
          {texts.none}
        </Text>
      )}
      <ul className={classes.backups}>
        {now.backups.map((one) => (
          <li key={one.number}>
            <span>
              <RelativeTime at={one.created} />
              <small>
                {[
                  proven.has(one.number) && texts.proven,
                  one.leftOut > 0 && texts.leftOut(one.leftOut),
                  one.unsteady > 0 && texts.unsteady(one.unsteady),
                ]
                  .filter((text) => text !== false)
                  .join(' · ')}
              </small>
            </span>
            <span>
              {texts.facts(one.files, one.bytes)}
              <small>{one.added === 0 ? texts.addedNothing : texts.added(one.added)}</small>
            </span>
          </li>
        ))}
      </ul>
      <Text size="sm" c="dimmed" mt="md" className={classes.text ?? ''}>
        {texts.restore}
      </Text>
    </Section>
  );
}
