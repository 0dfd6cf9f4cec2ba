import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFlask, IconSend } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useParams, useSearchParams } from 'react-router';
import { call } from '../../../../shared/api/client.ts';
import type { DryRun, OwnerFunction } from '../../../../shared/api/contract.ts';
import { functionById } from '../../../api/functions/queries.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { Page } from '../../../components/page.tsx';
import { LoadingSkeleton, SubmitError } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import classes from './dry-run-page.module.css';
import { DryRunResult } from './result.tsx';
import { MissingFunction, functionCrumbs } from '../missing-function.tsx';
import { nameOf } from '../function-text.ts';

const words = m.functions.dry;

/** What would come of it: the exact input and output, and nothing saved. */
export function DryRunPage() {
  const { id = '' } = useParams();
  const found = useQuery(functionById(id));
  if (found.data === undefined) return <MissingFunction error={found.error} retry={() => void found.refetch()} />;
  return <DryRunOf key={id} one={found.data} />;
}

function useDryRun(id: string) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [result, setResult] = useState<DryRun>();
  const start = async (useAll: boolean, send: boolean) => {
    setBusy(true);
    setProblem(undefined);
    try {
      setResult(await call('POST /api/v2.6/she/function/:id/dry-run', { params: { id }, body: { useAll, send } }));
    } catch (error) {
      setResult(undefined);
      setProblem(error);
    }
    setBusy(false);
    // What was sent elsewhere is in the access history.
    if (send) await queryClient.invalidateQueries({ queryKey: ['ledger'] });
  };
  return { busy, problem, result, start };
}

function DryRunOf({ one }: { one: OwnerFunction }) {
  const { id, place } = one;
  const name = nameOf(one);
  const [query, setQuery] = useSearchParams();
  const useAll = query.get('data') === 'all';
  const { busy, problem, result, start } = useDryRun(id);
  const isHere = place.kind === 'here';
  const lead = isHere ? words.lead : words.leadElsewhere(place.host);
  return (
    <Page
      title={words.title(name)}
      windowTitle={words.windowTitle(name)}
      crumbs={[...functionCrumbs, { label: name, to: functionPath(id) }]}
      lead={lead}
    >
      <div className={classes.controls}>
        {one.reads === 'new' && (
          <SegmentedControl
            aria-label={words.what}
            value={useAll ? 'all' : 'new'}
            data={[
              { value: 'new', label: words.whatNew },
              { value: 'all', label: words.whatAll },
            ]}
            disabled={busy}
            onChange={(value) => setQuery(value === 'all' ? { data: 'all' } : {}, { replace: true })}
          />
        )}
        <Button
          leftSection={<IconFlask size={16} stroke={1.6} />}
          loading={busy}
          {...(result === undefined ? {} : { variant: 'default' })}
          onClick={() => void start(useAll, isHere)}
        >
          {result !== undefined ? words.again : isHere ? words.start : words.startElsewhere}
        </Button>
      </div>
      {busy && (
        <>
          <Text size="sm" role="status" mb="md">
            {isHere ? words.running : words.puttingTogether}
          </Text>
          <LoadingSkeleton rows={8} />
        </>
      )}
      <SubmitError problem={problem} />
      {result !== undefined && !busy && (
        <DryRunResult one={one} result={result}>
          {!isHere && result.outcome === null && result.input !== null && (
            <SendIt host={place.host} result={result} send={() => void start(useAll, true)} />
          )}
        </DryRunResult>
      )}
    </Page>
  );
}

/** The second step: from here on the data is gone, so it is asked once more. */
function SendIt({ host, result, send }: { host: string; result: DryRun; send: () => void }) {
  const [asking, dialog] = useDisclosure(false);
  const { recordsIn, bytesIn } = result;
  return (
    <>
      <Callout
        tone="attention"
        title={words.sendHint}
        action={
          <Group>
            <Button variant="default" size="xs" leftSection={<IconSend size={15} stroke={1.6} />} onClick={dialog.open}>
              {words.send(recordsIn, bytesIn, host)}
            </Button>
          </Group>
        }
      />
      <ConfirmDialog
        opened={asking}
        close={dialog.close}
        title={words.sendTitle(host)}
        keep={words.sendKeep}
        submit={words.sendSubmit}
        onConfirm={() => {
          send();
          return Promise.resolve();
        }}
      >
        {words.sendText(recordsIn, bytesIn, host)}
      </ConfirmDialog>
    </>
  );
}
