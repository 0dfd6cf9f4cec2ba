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

const texts = m.move.import;

export function ImportSection({ moveState }: { moveState: MoveView }) {
  return (
    <Section title={texts.title}>
      <Stack gap="md" maw="44rem">
        <Text>{texts.text}</Text>
        {moveState.canImport ? <ImportSteps moveState={moveState} /> : <Text c="dimmed">{texts.notEmpty}</Text>}
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
        label={texts.sendingLabel}
        title={upload.fileName}
        progress={{ done: upload.sent, total: upload.size }}
        detail={texts.sending(upload.sent, upload.size)}
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
        label={texts.checkingLabel}
        title={texts.checking}
        progress={archive.progress}
        detail={texts.canLeave}
      />
    );
  if (archive?.state === 'importing')
    return (
      <ProgressSection
        label={texts.importingLabel}
        title={texts.importing}
        progress={archive.progress}
        detail={texts.canLeave}
      />
    );
  if (archive?.state === 'ready' && archive.from !== null) return <ArchiveSummary account={archive.from} />;
  return (
    <>
      {problem !== null && <Callout tone="error">{problem}</Callout>}
      {archive?.state === 'refused' && (
        <Callout tone="error" title={texts.rejected} urgent>
          {archive.problem}
        </Callout>
      )}
      {archive?.state === 'receiving' && upload === undefined && <Text>{texts.stopped}</Text>}
      <SubmitError problem={upload?.problem} />
      <ArchiveInput label={archive?.state === 'refused' ? texts.other : texts.choose} />
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
      <small>{texts.hint}</small>
    </label>
  );
}

function ArchiveSummary({ account }: { account: NonNullable<NonNullable<MoveView['archive']>['from']> }) {
  const { busy, problem, run } = useSubmit();
  const discardAction = useSubmit();
  const { counts } = account;
  return (
    <div className={classes.card}>
      <Text component="div" fz="lg" fw={600} role="status">
        {texts.accountTitle(account.name)}
      </Text>
      <dl className={classes.facts}>
        <dt>{texts.asOf}</dt>
        <dd>
          <RelativeTime at={account.exported} />
        </dd>
        <dt>{texts.labels.records}</dt>
        <dd>{texts.records(counts.records, counts.endpoints)}</dd>
        <dt>{texts.labels.files}</dt>
        <dd>{texts.files(counts.files, counts.fileBytes)}</dd>
        <dt>{texts.labels.consents}</dt>
        <dd>{texts.consents(counts.consents, counts.activeConsents)}</dd>
        <dt>{texts.labels.others}</dt>
        <dd>{texts.others(counts.applications, counts.functions, counts.contracts, counts.people)}</dd>
        <dt>{texts.labels.access}</dt>
        <dd>{texts.access(counts.access)}</dd>
      </dl>
      <Text>{texts.afterwards}</Text>
      <SubmitError problem={problem ?? discardAction.problem} />
      <Group gap="0.75rem">
        <Button loading={busy} onClick={() => void run(importArchive)}>
          {texts.submit}
        </Button>
        <Button variant="default" loading={discardAction.busy} onClick={() => void discardAction.run(discardArchive)}>
          {texts.discard}
        </Button>
      </Group>
    </div>
  );
}
