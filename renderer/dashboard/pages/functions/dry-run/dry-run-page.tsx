import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconFlask, IconSend } from '@tabler/icons-react';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import { call } from '../../../../shared/api/client.ts';
import type { DryRun, OwnerFunction } from '../../../../shared/api/contract.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { Callout } from '../../../../shared/components/callout.tsx';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { Page } from '../../../components/page.tsx';
import { LoadingSkeleton, SubmitError } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { DryRunResult } from './result.tsx';
import { FunctionLoader, functionCrumbs } from '../function-loader.tsx';
import { nameOf } from '../function-text.ts';

const texts = m.functions.dry;

/** Shows the exact input and output of a function. Stores no output. */
export function DryRunPage() {
  return (
    <FunctionLoader>
      {(ownerFunction) => <DryRunForm key={ownerFunction.id} ownerFunction={ownerFunction} />}
    </FunctionLoader>
  );
}

function useDryRun(id: string) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [result, setResult] = useState<{ usesAllData: boolean; dryRun: DryRun }>();
  const start = async (usesAllData: boolean, send: boolean) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const body = { useAll: usesAllData, send };
      const dryRun = await call('POST /api/v2.6/she/function/:id/dry-run', { params: { id }, body });
      setResult({ usesAllData, dryRun });
    } catch (error) {
      setResult(undefined);
      setProblem(error);
    }
    setBusy(false);
    // Sending data to another server adds an entry to the access history.
    if (send) await queryClient.invalidateQueries({ queryKey: ['ledger'] });
  };
  return { busy, problem, result, start };
}

function DryRunForm({ ownerFunction }: { ownerFunction: OwnerFunction }) {
  const { id, place } = ownerFunction;
  const name = nameOf(ownerFunction);
  const [query, setQuery] = useSearchParams();
  const usesAllData = query.get('data') === 'all';
  const { busy, problem, result: lastResult, start } = useDryRun(id);
  // A result with the other value of `usesAllData` is hidden, because "Send" would not send the data in that result.
  const result = lastResult?.usesAllData === usesAllData ? lastResult.dryRun : undefined;
  const isLocal = place.kind === 'here';
  const lead = isLocal ? texts.lead : texts.leadRemote(place.host);
  return (
    <Page
      title={texts.title(name)}
      windowTitle={texts.windowTitle(name)}
      crumbs={[...functionCrumbs, { label: name, to: functionPath(id) }]}
      lead={lead}
    >
      <Group gap="0.75rem" mb="2rem">
        {ownerFunction.reads === 'new' && (
          <SegmentedControl
            aria-label={texts.dataScope}
            value={usesAllData ? 'all' : 'new'}
            data={[
              { value: 'new', label: texts.newData },
              { value: 'all', label: texts.allData },
            ]}
            disabled={busy}
            onChange={(value) => setQuery(value === 'all' ? { data: 'all' } : {}, { replace: true })}
          />
        )}
        <Button
          leftSection={<IconFlask size={16} stroke={1.6} />}
          loading={busy}
          {...(result === undefined ? {} : { variant: 'default' })}
          onClick={() => void start(usesAllData, isLocal)}
        >
          {result !== undefined ? texts.repeat : isLocal ? texts.start : texts.startRemote}
        </Button>
      </Group>
      {busy && (
        <>
          <Text role="status" mb="md">
            {isLocal ? texts.running : texts.preparing}
          </Text>
          <LoadingSkeleton rows={8} />
        </>
      )}
      <SubmitError problem={problem} />
      {result !== undefined && !busy && (
        <DryRunResult ownerFunction={ownerFunction} result={result}>
          {!isLocal && result.outcome === null && result.input !== null && (
            <SendInput host={place.host} result={result} send={() => void start(usesAllData, true)} />
          )}
        </DryRunResult>
      )}
    </Page>
  );
}

/** Asks for confirmation before the input is sent, because sent data cannot be recalled. */
function SendInput({ host, result, send }: { host: string; result: DryRun; send: () => void }) {
  const [isConfirming, dialog] = useDisclosure(false);
  const { recordsIn, bytesIn } = result;
  return (
    <>
      <Callout
        tone="attention"
        title={texts.sendHint}
        action={
          <Group>
            <Button variant="default" size="xs" leftSection={<IconSend size={15} stroke={1.6} />} onClick={dialog.open}>
              {texts.send(recordsIn, bytesIn, host)}
            </Button>
          </Group>
        }
      />
      <ConfirmDialog
        opened={isConfirming}
        close={dialog.close}
        title={texts.sendTitle(host)}
        cancelLabel={texts.sendCancel}
        confirmLabel={texts.sendSubmit}
        onConfirm={() => {
          send();
          return Promise.resolve();
        }}
      >
        {texts.sendText(recordsIn, bytesIn, host)}
      </ConfirmDialog>
    </>
  );
}
