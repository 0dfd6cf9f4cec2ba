import { Button, Group, Progress, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconClockHour4, IconRefresh } from '@tabler/icons-react';
import { type Backup, type BackupProof, runBackup, runDrill } from '../../api/account/backup.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';
import panelClasses from '../../../shared/components/panel.module.css';

const texts = m.backup;

export function BackupStatus({ backup }: { backup: Backup }) {
  return (
    <section
      className={panelClasses.panel}
      data-status={backup.problem === null && (backup.last === null || !backup.stale) ? 'ok' : 'error'}
    >
      <Title backup={backup} />
      {backup.running !== null && <RunProgress running={backup.running} />}
      {backup.problem !== null && (
        <Callout tone="error" title={texts.problem[backup.problem.what]}>
          {backup.problem.problem}{' '}
          {backup.problem.what === 'backup' && backup.every !== 'off' && texts.retriesAutomatically}{' '}
          <RelativeTime at={backup.problem.at} />
        </Callout>
      )}
      {backup.drillFailure !== null && (
        <Callout tone="attention" title={texts.drillFailure}>
          {backup.drillFailure.problem} <RelativeTime at={backup.drillFailure.at} />
        </Callout>
      )}
      <Facts backup={backup} />
      <Actions backup={backup} />
    </section>
  );
}

function Title({ backup }: { backup: Backup }) {
  const { state } = texts;
  const [StatusIcon, text] =
    backup.running !== null
      ? [IconRefresh, backup.running.what === 'drill' ? state.drilling : state.running]
      : backup.last === null
        ? [IconClockHour4, state.never]
        : backup.stale
          ? [IconAlertTriangle, state.old]
          : [IconCircleCheck, state.ok];
  return (
    <div>
      <div className={classes.title} role="status">
        <StatusIcon stroke={1.5} aria-hidden="true" />
        <span>{text}</span>
      </div>
      {backup.running === null && backup.last === null && (
        <Text c="dimmed" maw="44rem">
          {state.neverText}
        </Text>
      )}
    </div>
  );
}

function RunProgress({ running }: { running: NonNullable<Backup['running']> }) {
  const { phase, done, total } = running;
  return (
    <div>
      <Progress value={total === 0 ? 0 : (100 * done) / total} aria-label={texts.progressLabel} mb="xs" />
      <Text c="dimmed">
        {texts.phases[phase]}
        {total > 0 && <>, {texts.progress(done, total)}</>}. {texts.state.canLeave}
      </Text>
    </div>
  );
}

function Facts({ backup }: { backup: Backup }) {
  return (
    <dl className={classes.facts}>
      {backup.last !== null && (
        <>
          <dt>{texts.last}</dt>
          <dd>
            <RelativeTime at={backup.last.created} />
          </dd>
        </>
      )}
      <dt>{texts.lastVerified}</dt>
      <dd>{backup.proven === null ? texts.neverVerified : <Verification proof={backup.proven} />}</dd>
      {backup.provenWhole !== null && backup.provenWhole.at !== backup.proven?.at && (
        <>
          <dt>{texts.lastFullyVerified}</dt>
          <dd>
            <Verification proof={backup.provenWhole} />
          </dd>
        </>
      )}
      <dt>{texts.next}</dt>
      <dd>
        {backup.next === null ? (
          texts.nextManual
        ) : isPast(backup.next) ? (
          texts.nextSoon
        ) : (
          <RelativeTime at={backup.next} />
        )}
      </dd>
      <dt>{texts.folder}</dt>
      <dd>
        <code>{backup.archive}</code>
      </dd>
    </dl>
  );
}

const isPast = (time: string): boolean => Date.parse(time) <= Date.now();

function Verification({ proof }: { proof: BackupProof }) {
  return (
    <>
      <RelativeTime at={proof.at} />
      <small>{texts.verifiedText(proof.whole, proof.files, proof.bytes, proof.ms)}</small>
    </>
  );
}

function Actions({ backup }: { backup: Backup }) {
  const { problem, run } = useSubmit();
  const start = (action: () => Promise<unknown>, startedText: string): void =>
    void run(async () => {
      await action();
      showToast(startedText);
    });
  const busy = backup.running !== null;
  return (
    <>
      <Group gap="0.75rem 1rem">
        <Button disabled={busy} onClick={() => start(runBackup, texts.started)}>
          {texts.run}
        </Button>
        {backup.last !== null && (
          <Button variant="default" disabled={busy} onClick={() => start(runDrill, texts.drillStarted)}>
            {texts.drill}
          </Button>
        )}
      </Group>
      <SubmitError problem={problem} />
    </>
  );
}
