import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Backup, backup } from '../../api/account/backup.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Page, Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';
import { RecoveryKey } from './recovery-key.tsx';
import { PassphraseSection, SettingsForm } from './settings-form.tsx';
import { SetUpForm } from './set-up-form.tsx';
import { BackupStatus } from './status.tsx';

const texts = m.backup;

export function BackupPage() {
  const query = useQuery(backup);
  const [recoveryKey, setRecoveryKey] = useState<string | null>(null);
  return (
    <Page title={m.settings.sections.backup}>
      <QueryBoundary query={query} rows={6} height={28} />
      {query.data !== undefined && <BackupSections backup={query.data} showRecoveryKey={setRecoveryKey} />}
      <RecoveryKey value={recoveryKey} close={() => setRecoveryKey(null)} />
    </Page>
  );
}

interface BackupSectionsProps {
  backup: Backup;
  showRecoveryKey: (recoveryKey: string) => void;
}

function BackupSections({ backup: current, showRecoveryKey }: BackupSectionsProps) {
  if (current.folder === null) {
    return (
      <>
        <Callout tone="attention" title={texts.state.none}>
          {texts.state.noneText}
        </Callout>
        <Section title={texts.setUp.title}>
          <SetUpForm showRecoveryKey={showRecoveryKey} />
        </Section>
        {current.backups.length > 0 && <Backups backup={current} />}
      </>
    );
  }
  return (
    <>
      <BackupStatus backup={current} />
      <Backups backup={current} />
      <SettingsForm key={current.folder} backup={current} />
      <PassphraseSection showRecoveryKey={showRecoveryKey} />
    </>
  );
}

function Backups({ backup: current }: { backup: Backup }) {
  const listTexts = texts.list;
  const verifiedNumbers = new Set([current.proven?.number, current.provenWhole?.number]);
  return (
    <Section title={listTexts.title}>
      {current.backups.length === 0 && <Text c="dimmed">{listTexts.none}</Text>}
      <ul className={classes.backups}>
        {current.backups.map((entry) => (
          <li key={entry.number}>
            <span>
              <RelativeTime at={entry.created} />
              <small>
                {[
                  verifiedNumbers.has(entry.number) && listTexts.testRestorePassed,
                  entry.leftOut > 0 && listTexts.leftOut(entry.leftOut),
                  entry.unsteady > 0 && listTexts.changedDuringBackup(entry.unsteady),
                ]
                  .filter((text) => text !== false)
                  .join(' · ')}
              </small>
            </span>
            <span>
              {listTexts.facts(entry.files, entry.bytes)}
              <small>{entry.added === 0 ? listTexts.addedNothing : listTexts.added(entry.added)}</small>
            </span>
          </li>
        ))}
      </ul>
      <Text c="dimmed" mt="md" maw="44rem">
        {listTexts.restore}
      </Text>
    </Section>
  );
}
