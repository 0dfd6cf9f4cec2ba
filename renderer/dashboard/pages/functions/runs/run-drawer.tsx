import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconArrowBackUp, IconRestore } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../../shared/api/client.ts';
import type { FunctionRun, FunctionRunDetail } from '../../../../shared/api/contract.ts';
import { refreshFunctions, functionRun as runQuery } from '../../../api/functions/queries.ts';
import { refreshData } from '../../../api/queries.ts';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { type Fact, FactList } from '../../../../shared/components/fact-list.tsx';
import { CopyableValue } from '../../../../shared/components/copyable-value.tsx';
import { undoDeletion } from '../../../components/deletion.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { ActionButton } from '../../../../shared/feedback/action-button.tsx';
import { SideDrawer, stepTo } from '../../../../shared/overlay/side-drawer.tsx';
import { LoadingSkeleton, ItemLoadError } from '../../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../../shared/components/relative-time.tsx';
import { bytes } from '../../../../shared/format/format.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { endpointPath, functionPath, recordPath } from '../../../navigation.ts';
import { ConsoleLog } from './console-log.tsx';
import classes from './run-drawer.module.css';
import { RunOutcome, RunWindow } from './runs-table.tsx';
import { isCycle } from '../function-text.ts';
import parts from '../../../../shared/overlay/drawer-parts.module.css';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const { dry: dryRunTexts, run: texts } = m.functions;

interface RunDrawerProps {
  functionId: string;
  runId: string | undefined;
  previous: FunctionRun | undefined;
  next: FunctionRun | undefined;
  open: (runId: string) => void;
  close: () => void;
}

export function RunDrawer({ functionId, runId, previous, next, open, close }: RunDrawerProps) {
  return (
    <SideDrawer
      opened={runId !== undefined}
      close={close}
      title={texts.title}
      steps={{
        previous: stepTo(texts.previous, previous, (run) => open(run.runId)),
        next: stepTo(texts.next, next, (run) => open(run.runId)),
      }}
    >
      {runId !== undefined && <Content key={runId} functionId={functionId} runId={runId} />}
    </SideDrawer>
  );
}

function Content({ functionId, runId }: { functionId: string; runId: string }) {
  const query = useQuery(runQuery(functionId, runId));
  if (query.isPending) return <LoadingSkeleton rows={8} />;
  if (query.isError) return <ItemLoadError error={query.error} retry={() => void query.refetch()} texts={texts} />;
  const run = query.data;
  return (
    <>
      <Text size="md" component="div" fw={500} mb="md">
        <RunOutcome run={run} />
      </Text>
      {run.message !== null && (
        <Text mb="md" className={classes.message ?? ''}>
          {run.message}
        </Text>
      )}
      <UndoRun run={run} />
      <FactList facts={factsOf(run)} />
      <Records run={run} />
      <section className={parts.section}>
        <h3>{dryRunTexts.log}</h3>
        <ConsoleLog lines={run.log} emptyText={dryRunTexts.logNone} label={dryRunTexts.log} />
      </section>
    </>
  );
}

function UndoRun({ run }: { run: FunctionRunDetail }) {
  const { functionId, runId, recordsOut, endpoint, undone, undo, finished } = run;
  const [isConfirming, dialog] = useDisclosure(false);
  const refresh = () => Promise.all([refreshFunctions(), refreshData(endpoint)]);
  const undoRun = async () => {
    await call('POST /api/v2.6/she/function/:id/runs/:runId/undo', { params: { id: functionId, runId } });
    await refresh();
    showToast(texts.undoDone, texts.undoDoneText);
  };
  if (undone !== null) {
    if (undo === null) return null;
    return (
      <Group mb="lg">
        <ActionButton
          action={async () => {
            await undoDeletion(undo);
            await refreshFunctions();
          }}
          icon={<IconRestore size={15} stroke={1.6} />}
        >
          {texts.restore}
        </ActionButton>
      </Group>
    );
  }
  if (finished === null || recordsOut === 0) return null;
  return (
    <Group mb="lg">
      <Button
        variant="default"
        size="xs"
        c="var(--stop)"
        leftSection={<IconArrowBackUp size={15} stroke={1.6} />}
        onClick={dialog.open}
      >
        {texts.undo}
      </Button>
      <ConfirmDialog
        opened={isConfirming}
        close={dialog.close}
        title={texts.undo}
        cancelLabel={m.shell.keep}
        confirmLabel={texts.undoSubmit}
        onConfirm={undoRun}
      >
        {texts.undoText(recordsOut, endpoint)}
      </ConfirmDialog>
    </Group>
  );
}

function factsOf(run: FunctionRunDetail): (Fact | false)[] {
  const { reason, started, window, recordsIn, bytesIn, recordsOut, endpoint, durationMs, peakMemoryBytes } = run;
  return [
    { term: texts.reason, value: m.functions.runs.reasons[reason] },
    { term: texts.started, value: <RelativeTime at={started} /> },
    run.undone !== null && { term: texts.undoneAt, value: <RelativeTime at={run.undone} /> },
    { term: dryRunTexts.window, value: <RunWindow {...window} /> },
    { term: dryRunTexts.read, value: dryRunTexts.readText(recordsIn, bytesIn) },
    {
      term: texts.stored,
      value:
        recordsOut === 0 ? (
          texts.storedNothing
        ) : (
          <>
            {m.data.records(recordsOut)}{' '}
            <TextLink to={endpointPath(endpoint)} underline="always">
              {texts.inEndpoint(endpoint)}
            </TextLink>
          </>
        ),
    },
    durationMs !== null && { term: dryRunTexts.duration, value: m.functions.runDuration(durationMs) },
    run.finished !== null &&
      durationMs !== null && {
        term: dryRunTexts.memory,
        value: peakMemoryBytes === null ? dryRunTexts.unknown : bytes(peakMemoryBytes),
      },
    run.chain.length > 1 && { term: isCycle(run) ? texts.cycle : texts.chain, value: <Chain run={run} /> },
    { term: texts.version, value: run.version },
    { term: texts.id, value: <CopyableValue value={run.runId} label={texts.copyId} /> },
  ];
}

/** Links to the functions whose output triggered the run; for a cycle, to all its functions. */
function Chain({ run }: { run: FunctionRun }) {
  const functionIds = isCycle(run) ? run.chain : run.chain.slice(0, -1);
  return (
    <>
      {functionIds.map((id, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- ids repeat in a cycle; the chain is never reordered
        <span key={index}>
          {index > 0 && ' → '}
          <TextLink to={functionPath(id)} underline="always">
            {id}
          </TextLink>
        </span>
      ))}
    </>
  );
}

function Records({ run }: { run: FunctionRunDetail }) {
  const { records, recordsOut, undone } = run;
  if (recordsOut === 0) return null;
  return (
    <section className={parts.section}>
      <h3>
        {texts.records} {records.length > 0 && <small>{texts.recordsOf(records.length, recordsOut)}</small>}
      </h3>
      {records.length === 0 && <Text c="dimmed">{undone === null ? texts.recordsGone : texts.recordsUndone}</Text>}
      {records.length > 0 && (
        <ul className={classes.records}>
          {records.map(({ recordId }) => (
            <li key={recordId}>
              <TextLink to={recordPath(recordId)}>
                <code>{recordId}</code>
              </TextLink>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
