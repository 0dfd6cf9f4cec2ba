import { Button, Group, Stack, Text } from '@mantine/core';
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
import { ProgressSection } from './progress-section.tsx';
import classes from './move.module.css';

const words = m.move.import;

export function ImportSection({ moveState }: { moveState: MoveView }) {
  return (
    <Section title={words.title}>
      <Stack gap="md" maw="44rem">
        <Text>{words.text}</Text>
        {moveState.canImport ? <ImportSteps moveState={moveState} /> : <Text c="dimmed">{words.notEmpty}</Text>}
      </Stack>
    </Section>
  );
}

function ImportSteps({ moveState }: { moveState: MoveView }) {
  const upload = useArchiveUpload();
  const { archive, problem } = moveState;
  if (upload !== undefined && upload.problem === undefined)
    return (
      <ProgressSection
        label={words.sendingLabel}
        title={upload.fileName}
        progress={{ done: upload.sent, total: upload.size }}
        detail={words.sending(upload.sent, upload.size)}
        action={
          <Group gap="0.75rem">
            <Button variant="default" onClick={cancelArchiveUpload}>
              {m.shell.cancel}
            </Button>
          </Group>
        }
      />
    );
  if (archive?.state === 'checking')
    return (
      <ProgressSection
        label={words.checkingLabel}
        title={words.checking}
        progress={archive.progress}
        detail={words.canLeave}
      />
    );
  if (archive?.state === 'importing')
    return (
      <ProgressSection
        label={words.importingLabel}
        title={words.importing}
        progress={archive.progress}
        detail={words.canLeave}
      />
    );
  if (archive?.state === 'ready' && archive.from !== null) return <ArchiveSummary from={archive.from} />;
  return (
    <>
      {problem !== null && <Callout tone="error">{problem}</Callout>}
      {archive?.state === 'refused' && (
        <Callout tone="error" title={words.rejected} urgent>
          {archive.problem}
        </Callout>
      )}
      {archive?.state === 'receiving' && upload === undefined && <Text>{words.stopped}</Text>}
      <SubmitError problem={upload?.problem} />
      <ArchiveInput label={archive?.state === 'refused' ? words.other : words.choose} />
    </>
  );
}

function ArchiveInput({ label }: { label: string }) {
  return (
    <label className={classes.filePicker}>
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

/** Shows the contents of the archive as counted during verification, not as stated in its manifest. */
function ArchiveSummary({ from }: { from: NonNullable<NonNullable<MoveView['archive']>['from']> }) {
  const { busy, problem, run } = useSubmit();
  const discardAction = useSubmit();
  const { counts } = from;
  return (
    <div className={classes.card}>
      <Text component="div" fz="lg" fw={600} role="status">
        {words.accountTitle(from.name)}
      </Text>
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
      <Text>{words.afterwards}</Text>
      <SubmitError problem={problem ?? discardAction.problem} />
      <Group gap="0.75rem">
        <Button loading={busy} onClick={() => void run(importArchive)}>
          {words.submit}
        </Button>
        <Button variant="default" loading={discardAction.busy} onClick={() => void discardAction.run(discardArchive)}>
          {words.discard}
        </Button>
      </Group>
    </div>
  );
}
