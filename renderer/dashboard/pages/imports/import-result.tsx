import { Anchor, Button, Group, Text, Title } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconArrowBackUp, IconCircleCheck, IconPlayerStop } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { Link } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import type { ImportJob } from '../../../shared/api/contract.ts';
import { refreshData } from '../../api/queries.ts';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath } from '../../navigation.ts';
import { kindWords } from './kind-counts.tsx';
import found from './kind-counts.module.css';
import classes from './import-result.module.css';
import { Troubles } from './error-list.tsx';

const words = m.imports.done;

interface OutcomeProps {
  job: ImportJob;
  take: (job: ImportJob) => void;
  forget: () => void;
}

interface Said {
  tone: 'done' | 'failed' | 'cancelled' | 'undone';
  title: string;
  text: string[];
}

/** The PDA names the fault in a few words; here they begin a sentence. */
function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).replace(/\.$/, '');
}

function say(job: ImportJob): Said {
  const took =
    job.started === null || job.finished === null
      ? []
      : [words.took(new Date(job.finished).getTime() - new Date(job.started).getTime())];
  if (job.state === 'failed') {
    const problem = sentence(job.error?.problem ?? '');
    return {
      tone: 'failed',
      title: words.failed(job.error?.line ?? null),
      text: [words.failedText(problem, job.added), job.endpoint === null ? words.failedAgain : words.failedNext],
    };
  }
  if (job.state === 'cancelled')
    return { tone: 'cancelled', title: words.cancelled, text: [words.cancelledText(job.added)] };
  if (job.state === 'undone') return { tone: 'undone', title: words.undone, text: [words.undoneText] };
  if (job.added === 0 && job.changed === 0) return { tone: 'done', title: words.nothing, text: [words.nothingText] };
  return {
    tone: 'done',
    title: words.title(job.added, job.endpoint ?? ''),
    text: [
      ...(job.changed > 0 ? [words.changed(job.changed)] : []),
      ...(job.skipped > 0 ? [words.skipped(job.skipped)] : []),
      ...took,
    ],
  };
}

const PICTURES = {
  done: IconCircleCheck,
  failed: IconAlertTriangle,
  cancelled: IconPlayerStop,
  undone: IconArrowBackUp,
};

/** How an import ended, what it added, and the way back. */
export function ImportResult({ job, take, forget }: OutcomeProps) {
  const said = say(job);
  const Picture = PICTURES[said.tone];
  const heading = useRef<HTMLHeadingElement>(null);
  const [asking, dialog] = useDisclosure(false);
  useEffect(() => {
    // The button that stood here while it ran is gone; the focus goes to what it led to.
    if (document.activeElement === document.body) heading.current?.focus({ preventScroll: true });
  }, []);
  const undo = async () => {
    take(await call('POST /api/v2.6/owner/imports/:importId/undo', { params: { importId: job.importId } }));
    await refreshData();
  };
  const canUndo = job.state !== 'undone' && job.added + job.changed > 0;
  return (
    <section>
      <div className={classes.said} data-tone={said.tone}>
        <Picture size={24} stroke={1.5} aria-hidden="true" />
        <div role="status">
          <Title order={2} ref={heading} tabIndex={-1}>
            {said.title}
          </Title>
          {said.text.map((text) => (
            <Text key={text} size="sm" c="dimmed">
              {text}
            </Text>
          ))}
        </div>
      </div>
      {job.state !== 'undone' && job.kinds.length > 0 && <Kinds job={job} />}
      {job.state !== 'undone' && <Troubles troubles={job.troubles} />}
      <Group gap="sm" mt="lg">
        {job.endpoint !== null && job.state !== 'undone' && (
          <Button component={Link} to={endpointPath(job.endpoint)}>
            {words.open}
          </Button>
        )}
        <Button variant="default" component={Link} to="/data/imports">
          {words.another}
        </Button>
        {canUndo && (
          <Button variant="default" c="var(--stop)" onClick={dialog.open}>
            {words.undo}
          </Button>
        )}
        {!canUndo && (
          <Button variant="subtle" color="gray" c="var(--ink-soft)" onClick={forget}>
            {words.forget}
          </Button>
        )}
      </Group>
      <ConfirmDialog
        opened={asking}
        close={dialog.close}
        title={words.undoTitle}
        keep={words.keep}
        submit={words.undoConfirm(job.added)}
        onConfirm={undo}
      >
        {words.undoText(job.added, job.endpoint ?? '')}
      </ConfirmDialog>
    </section>
  );
}

/** What came of each kind, and the way there. */
function Kinds({ job }: { job: ImportJob }) {
  return (
    <ul className={found.kinds}>
      {job.kinds.map(({ endpoint, added, same, changed }) => (
        <li key={endpoint} className={found.kind}>
          <div className={found.line}>
            <Anchor component={Link} to={endpointPath(endpoint)}>
              {words.kindAdded(kindWords(endpoint, added), same, changed)}
            </Anchor>
            <span className={found.soft}>{endpoint}</span>
          </div>
        </li>
      ))}
    </ul>
  );
}
