import { Button, Progress, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconClockHour4, IconRefresh } from '@tabler/icons-react';
import { type Backup, type BackupProof, runBackup, runDrill } from '../../api/backup.ts';
import { Callout } from '../../components/callout.tsx';
import { tell } from '../../components/notices.tsx';
import { NotDone } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { useAct } from '../../components/use-act.ts';
import { m } from '../../messages/texts.ts';
import classes from './backup.module.css';

const words = m.backup;

/** Whether everything would come back, in a line; what is known of that; and what can be done now. */
export function StateBlock({ now }: { now: Backup }) {
  return (
    <section
      className={classes.state}
      data-standing={now.problem === null && (now.last === null || !now.stale) ? 'well' : 'fault'}
    >
      <Title now={now} />
      {now.running !== null && <Running running={now.running} />}
      {now.problem !== null && (
        <Callout tone="fault" title={words.problem[now.problem.what]}>
          {now.problem.problem} {now.problem.what === 'backup' && now.every !== 'off' && words.problemAgain}{' '}
          <When at={now.problem.at} />
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
            <When at={now.last.created} />
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
      <dd>{now.next === null ? words.nextByHand : isPast(now.next) ? words.nextNow : <When at={now.next} />}</dd>
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
      <When at={proof.at} />
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
      <NotDone problem={start.problem} />
    </>
  );
}

function useStart() {
  const { problem, act } = useAct();
  const begin = (work: () => Promise<unknown>, done: string): void =>
    void act(async () => {
      await work();
      tell(done);
    });
  return { problem, begin };
}
