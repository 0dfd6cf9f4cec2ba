import { Button, Progress, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconClockHour4, IconRefresh } from '@tabler/icons-react';
import { type Backup, type BackupProof, runBackup, runDrill } from '../../api/account/backup.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './backup.module.css';

const words = m.backup;

/** Whether everything would come back, in a line; what is known of that; and what can be done now. */
export function StateBlock({ now }: { now: Backup }) {
  return (
    <section
      className={classes.state}
      data-status={now.problem === null && (now.last === null || !now.stale) ? 'ok' : 'error'}
    >
      <Title now={now} />
      {now.running !== null && <Running running={now.running} />}
      {now.problem !== null && (
        <Callout tone="error" title={words.problem[now.problem.what]}>
          {now.problem.problem} {now.problem.what === 'backup' && now.every !== 'off' && words.problemAgain}{' '}
          <RelativeTime at={now.problem.at} />
        </Callout>
      )}
      <Facts now={now} />
      <Actions now={now} />
    </section>
  );
}

function Title({ now }: { now: Backup }) {
  const { state } = words;
  const [Picture, text] =
    now.running !== null
      ? [IconRefresh, now.running.what === 'drill' ? state.drilling : state.running]
      : now.last === null
        ? [IconClockHour4, state.never]
        : now.stale
          ? [IconAlertTriangle, state.old]
          : [IconCircleCheck, state.well];
  return (
    <div>
      <div className={classes.title} role="status">
        <Picture stroke={1.5} aria-hidden="true" />
        <span>{text}</span>
      </div>
      {now.running === null && now.last === null && (
        <Text size="sm" c="dimmed" className={classes.text ?? ''}>
          {state.neverText}
        </Text>
      )}
    </div>
  );
}

function Running({ running }: { running: NonNullable<Backup['running']> }) {
  const { phase, done, total } = running;
  return (
    <div>
      <Progress value={total === 0 ? 0 : (100 * done) / total} aria-label={words.progressLabel} mb="xs" />
      <Text size="sm" c="dimmed">
        {words.phases[phase]}
        {total > 0 && <>, {words.progress(done, total)}</>}. {words.state.leave}
      </Text>
    </div>
  );
}

function Facts({ now }: { now: Backup }) {
  return (
    <dl className={classes.facts}>
      {now.last !== null && (
        <>
          <dt>{words.last}</dt>
          <dd>
            <RelativeTime at={now.last.created} />
          </dd>
        </>
      )}
      <dt>{words.proven}</dt>
      <dd>{now.proven === null ? words.provenNone : <Proof proof={now.proven} />}</dd>
      {now.provenWhole !== null && now.provenWhole.at !== now.proven?.at && (
        <>
          <dt>{words.provenWhole}</dt>
          <dd>
            <Proof proof={now.provenWhole} />
          </dd>
        </>
      )}
      <dt>{words.next}</dt>
      <dd>
        {now.next === null ? words.nextByHand : isPast(now.next) ? words.nextNow : <RelativeTime at={now.next} />}
      </dd>
      <dt>{words.where}</dt>
      <dd>
        <code>{now.archive}</code>
      </dd>
    </dl>
  );
}

const isPast = (at: string): boolean => Date.parse(at) <= Date.now();

function Proof({ proof }: { proof: BackupProof }) {
  return (
    <>
      <RelativeTime at={proof.at} />
      <small>{words.provenText(proof.whole, proof.files, proof.bytes, proof.ms)}</small>
    </>
  );
}

function Actions({ now }: { now: Backup }) {
  const start = useStart();
  const busy = now.running !== null;
  return (
    <>
      <div className={classes.actions}>
        <Button disabled={busy} onClick={() => start.begin(runBackup, words.began)}>
          {words.run}
        </Button>
        {now.last !== null && (
          <Button variant="default" disabled={busy} onClick={() => start.begin(runDrill, words.drillBegan)}>
            {words.drill}
          </Button>
        )}
      </div>
      <SubmitError problem={start.problem} />
    </>
  );
}

function useStart() {
  const { problem, run } = useSubmit();
  const begin = (work: () => Promise<unknown>, done: string): void =>
    void run(async () => {
      await work();
      showToast(done);
    });
  return { problem, begin };
}
