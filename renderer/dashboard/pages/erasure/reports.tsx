import { Progress, Text } from '@mantine/core';
import { type Erasure, ERASURE_STEPS } from '../../api/account/erasure.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { relativeTime } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import classes from './erasure.module.css';
import { countTexts } from './erasure-preview.tsx';

const texts = m.erasure;

export function ErasureReports({ erasures }: { erasures: readonly Erasure[] }) {
  if (erasures.length === 0) return <Text c="dimmed">{texts.noReports}</Text>;
  return (
    <ul className={classes.reports} aria-label={texts.reports}>
      {erasures.map((erasure) => (
        <Report key={erasure.erasureId} erasure={erasure} />
      ))}
    </ul>
  );
}

function titleOf({ kind, subject }: Erasure): string {
  switch (kind) {
    case 'application':
      return texts.subject.application(subject);
    case 'namespace':
      return texts.subject.namespace(subject);
    case 'file':
      return texts.subject.file;
    case 'everything':
      return texts.subject.everything;
  }
}

function Report({ erasure }: { erasure: Erasure }) {
  const { kind, subject, state, finished, begun, what } = erasure;
  const status = { done: texts.done, running: texts.running, waiting: texts.waiting }[state];
  return (
    <li>
      <div className={classes.header}>
        <span>{titleOf(erasure)}</span>
        <span>
          {status} <RelativeTime at={finished ?? begun} />
        </span>
      </div>
      {countTexts(what).length > 0 && <Text>{countTexts(what).join(' · ')}</Text>}
      {kind === 'file' && <Text c="dimmed">{texts.fileId(subject)}</Text>}
      {state !== 'done' && <ErasureProgress erasure={erasure} />}
      {state === 'done' && <Remainders erasure={erasure} />}
    </li>
  );
}

function ErasureProgress({ erasure: { step, problem } }: { erasure: Erasure }) {
  const stepIndex = step === null ? 0 : ERASURE_STEPS.indexOf(step);
  return (
    <>
      <Text>{problem ?? (step === null ? '' : texts.steps[step])}</Text>
      <Progress
        maw="24rem"
        mt="xs"
        value={(100 * (stepIndex + 1)) / (ERASURE_STEPS.length + 1)}
        aria-label={texts.progress}
      />
    </>
  );
}

function Remainders({ erasure }: { erasure: Erasure }) {
  const { keptDerived, copiesRemoved, copies, backups, backupFolders } = erasure;
  const lines = [
    ...(keptDerived ? [texts.keptDerived] : []),
    ...(copiesRemoved > 0 ? [texts.copiesErased(copiesRemoved)] : []),
    ...(copies.length > 0 ? [texts.copiesRemaining(copies.map(({ name }) => name))] : []),
    ...(backupFolders.length > 0 ? [texts.backupFolders(backupFolders)] : []),
    backups === null
      ? texts.backupsUnknown
      : backups.length === 0
        ? texts.backupsNone
        : texts.backupsRemaining(
            backups.map(({ name, until }) =>
              until === null ? name : `${name}, ${texts.backupUntil} ${relativeTime(until)}`,
            ),
          ),
  ];
  return lines.map((text) => (
    <Text key={text} c="dimmed">
      {text}
    </Text>
  ));
}
