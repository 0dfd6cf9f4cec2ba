import { Button, Group, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconArrowBackUp, IconCircleCheck, IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import type { ImportJob } from '../../../shared/api/contract.ts';
import { refreshData } from '../../api/queries.ts';
import { toSentenceCase } from '../../../shared/components/display-names.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath } from '../../navigation.ts';
import { kindCountText } from './kind-counts.tsx';
import kindClasses from './kind-counts.module.css';
import classes from './import-result.module.css';
import { ImportErrors } from './error-list.tsx';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.imports.done;

interface ImportResultProps {
  job: ImportJob;
  update: (job: ImportJob) => void;
  discard: () => void;
}

interface Summary {
  tone: 'done' | 'failed' | 'cancelled' | 'undone';
  title: string;
  paragraphs: string[];
}

function summarise(job: ImportJob): Summary {
  const durationParagraphs =
    job.started === null || job.finished === null
      ? []
      : [texts.durationText(new Date(job.finished).getTime() - new Date(job.started).getTime())];
  if (job.state === 'failed') {
    // The displayed text adds a full stop.
    const problem = toSentenceCase(job.error?.problem ?? '').replace(/\.$/, '');
    return {
      tone: 'failed',
      title: texts.failed(job.error?.line ?? null),
      paragraphs: [texts.failedText(problem, job.added), job.endpoint === null ? texts.failedAgain : texts.failedNext],
    };
  }
  if (job.state === 'cancelled')
    return { tone: 'cancelled', title: texts.cancelled, paragraphs: [texts.cancelledText(job.added)] };
  if (job.state === 'undone')
    return { tone: 'undone', title: texts.undone, paragraphs: [texts.undoneText(job.endpoint ?? '')] };
  if (job.added === 0 && job.changed === 0)
    return { tone: 'done', title: texts.nothing, paragraphs: [texts.nothingText] };
  return {
    tone: 'done',
    title: job.added === 0 ? texts.titleChanged(job.changed) : texts.title(job.added, job.endpoint ?? ''),
    paragraphs: [
      ...(job.added > 0 && job.changed > 0 ? [texts.changed(job.changed)] : []),
      ...(job.skipped > 0 ? [texts.skipped(job.skipped)] : []),
      ...durationParagraphs,
    ],
  };
}

const ICONS = {
  done: IconCircleCheck,
  failed: IconAlertTriangle,
  cancelled: IconPlayerStop,
  undone: IconArrowBackUp,
};

export function ImportResult({ job, update, discard }: ImportResultProps) {
  const summary = summarise(job);
  const Icon = ICONS[summary.tone];
  const heading = useRef<HTMLHeadingElement>(null);
  const [isConfirmOpen, dialog] = useDisclosure(false);
  useEffect(() => {
    // Moves the focus to the result if no element has it, for example because "Stop import" disappeared.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  const undo = async () => {
    update(await call('POST /api/v2.6/owner/imports/:importId/undo', { params: { importId: job.importId } }));
    await refreshData();
  };
  const canUndo = job.state !== 'undone' && job.added + job.changed > 0;
  return (
    <section>
      <div className={classes.outcome} data-tone={summary.tone}>
        <Icon size={24} stroke={1.5} aria-hidden="true" />
        <div role="status">
          <Title order={2} ref={heading} tabIndex={-1}>
            {summary.title}
          </Title>
          {summary.paragraphs.map((text) => (
            <Text key={text} c="dimmed">
              {text}
            </Text>
          ))}
        </div>
      </div>
      {job.state !== 'undone' && job.kinds.length > 0 && <ImportedKinds job={job} />}
      {job.state !== 'undone' && <ImportErrors errors={job.problems} />}
      <Group gap="sm" mt="lg">
        {job.endpoint !== null && job.state !== 'undone' && (
          <Button component={Link} to={endpointPath(job.endpoint)}>
            {texts.open}
          </Button>
        )}
        <Button variant="default" component={Link} to="/data/imports">
          {texts.importAnother}
        </Button>
        {canUndo && (
          <Button variant="default" c="var(--stop)" onClick={dialog.open}>
            {texts.undo}
          </Button>
        )}
        {!canUndo && (
          <Button variant="subtle" color="gray" c="var(--ink-soft)" onClick={discard}>
            {texts.removeFromList}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={isConfirmOpen}
        close={dialog.close}
        title={texts.undo}
        cancelLabel={texts.keep}
        confirmLabel={texts.undoConfirm(job.added)}
        onConfirm={undo}
      >
        {texts.undoText(job.added, job.endpoint ?? '')}
      </ConfirmDialog>
    </section>
  );
}

function ImportedKinds({ job }: { job: ImportJob }) {
  return (
    <ul className={kindClasses.kinds}>
      {job.kinds.map(({ endpoint, added, same, changed }) => (
        <li key={endpoint} className={kindClasses.kind}>
          <div className={kindClasses.kindHeader}>
            <TextLink size="md" to={endpointPath(endpoint)}>
              {texts.kindAdded(kindCountText(endpoint, added), same, changed)}
            </TextLink>
            <span className={kindClasses.secondaryText}>{endpoint}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}
