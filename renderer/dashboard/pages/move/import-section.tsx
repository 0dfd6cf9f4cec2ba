import { Button, Text } from '@mantine/core';
import {
  type MoveView,
  discardArchive,
  importArchive,
  uploadArchive,
  cancelArchiveUpload,
  useArchiveUpload,
} from '../../api/account/move.ts';
import { Callout } from '../../../shared/components/callout.tsx';
import { Section } from '../../components/page.tsx';
import { SubmitError } from '../../../shared/feedback/states.tsx';
import { useSubmit } from '../../../shared/feedback/use-submit.ts';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { Going } from './progress-section.tsx';
import classes from './move.module.css';

const words = m.move.into;

/** An archive comes in: chosen, sent, read to its end, looked at, and only then imported. */
export function ImportPart({ now }: { now: MoveView }) {
  return (
    <Section title={words.title}>
      <div className={classes.form}>
        <Text size="sm">{words.text}</Text>
        {now.canImport ? (
          <Steps now={now} />
        ) : (
          <Text size="sm" c="dimmed">
            {words.full}
          </Text>
        )}
      </div>
    </Section>
  );
}

function Steps({ now }: { now: MoveView }) {
  const sending = useArchiveUpload();
  const { archive, problem } = now;
  if (sending !== undefined && sending.problem === undefined)
    return (
      <Going
        label={words.sendingLabel}
        title={sending.fileName}
        progress={{ done: sending.sent, total: sending.size }}
        words={words.sending(sending.sent, sending.size)}
        action={
          <div className={classes.actions}>
            <Button variant="default" onClick={cancelArchiveUpload}>
              {words.cancel}
            </Button>
          </div>
        }
      />
    );
  if (archive?.state === 'checking')
    return <Going label={words.checkingLabel} title={words.checking} progress={archive.progress} words={words.leave} />;
  if (archive?.state === 'importing')
    return (
      <Going label={words.importingLabel} title={words.importing} progress={archive.progress} words={words.leave} />
    );
  if (archive?.state === 'ready' && archive.from !== null) return <Found from={archive.from} />;
  return (
    <>
      {problem !== null && <Callout tone="error">{problem}</Callout>}
      {archive?.state === 'refused' && (
        <Callout tone="error" title={words.refused} urgent>
          {archive.problem}
        </Callout>
      )}
      {archive?.state === 'receiving' && sending === undefined && <Text size="sm">{words.stopped}</Text>}
      <SubmitError problem={sending?.problem} />
      <Choose label={archive?.state === 'refused' ? words.other : words.choose} />
    </>
  );
}

function Choose({ label }: { label: string }) {
  return (
    <label className={classes.choose}>
      <input
        type="file"
        accept=".zip,application/zip"
        aria-label={label}
        onChange={(event) => {
          const [file] = event.currentTarget.files ?? [];
          event.currentTarget.value = '';
          if (file !== undefined) void uploadArchive(file);
        }}
      />
      <span>{label}</span>
      <small>{words.hint}</small>
    </label>
  );
}

/** What is in it, as it was read and not as it says of itself. */
function Found({ from }: { from: NonNullable<NonNullable<MoveView['archive']>['from']> }) {
  const { busy, problem, run } = useSubmit();
  const dropping = useSubmit();
  const { counts } = from;
  return (
    <div className={classes.card}>
      <div className={classes.name} role="status">
        {words.found(from.name)}
      </div>
      <dl className={classes.facts}>
        <dt>{words.asOf}</dt>
        <dd>
          <RelativeTime at={from.exported} />
        </dd>
        <dt>{words.labels.records}</dt>
        <dd>{words.records(counts.records, counts.endpoints)}</dd>
        <dt>{words.labels.files}</dt>
        <dd>{words.files(counts.files, counts.fileBytes)}</dd>
        <dt>{words.labels.consents}</dt>
        <dd>{words.consents(counts.consents, counts.activeConsents)}</dd>
        <dt>{words.labels.others}</dt>
        <dd>{words.others(counts.applications, counts.functions, counts.contracts, counts.people)}</dd>
        <dt>{words.labels.access}</dt>
        <dd>{words.access(counts.access)}</dd>
      </dl>
      <Text size="sm">{words.afterwards}</Text>
      <SubmitError problem={problem ?? dropping.problem} />
      <div className={classes.actions}>
        <Button loading={busy} onClick={() => void run(importArchive)}>
          {words.submit}
        </Button>
        <Button variant="default" loading={dropping.busy} onClick={() => void dropping.run(discardArchive)}>
          {words.drop}
        </Button>
      </div>
    </div>
  );
}
