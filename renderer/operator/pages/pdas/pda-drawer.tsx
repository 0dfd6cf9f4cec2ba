import { Button, Group, Stack, Text } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Callout } from '../../../shared/components/callout.tsx';
import { ConfirmDialog } from '../../../shared/overlay/confirm.tsx';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { showToast } from '../../../shared/feedback/toasts.tsx';
import { SideDrawer } from '../../../shared/overlay/side-drawer.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { CopyIconButton, NotFoundNote } from '../../../shared/feedback/states.tsx';
import { type Pda, call } from '../../api/client.ts';
import { pdas, invalidate } from '../../api/queries.ts';
import { Timestamp } from '../../components/timestamp.tsx';
import { messages } from '../../messages/texts.ts';
import { fingerprintOf } from './fingerprint.ts';
import classes from './pda-drawer.module.css';

const texts = messages.pdas;

interface PdaDrawerProps {
  /** Empty if no PDA is open. */
  address: string;
  close: () => void;
}

export function PdaDrawer({ address, close }: PdaDrawerProps) {
  return (
    <SideDrawer opened={address !== ''} close={close} title={address}>
      {address !== '' && <PdaLoader address={address} close={close} />}
    </SideDrawer>
  );
}

function PdaLoader({ address, close }: PdaDrawerProps) {
  const result = useInfiniteQuery(pdas(address));
  if (result.data === undefined) return <QueryBoundary query={result} />;
  const pda = result.data.pages[0]?.[0];
  return (
    <>
      <QueryBoundary query={result} />
      {pda === undefined ? (
        <NotFoundNote title={texts.notRegistered} text={texts.notRegisteredText} />
      ) : (
        <Details pda={pda} close={close} />
      )}
    </>
  );
}

function Details({ pda, close }: { pda: Pda; close: () => void }) {
  const [openDialog, setOpenDialog] = useState<'remove' | 'key'>();
  const { pdaId, address, publicKey, waitingKey } = pda;
  const newFingerprint = useFingerprint(waitingKey ?? '');
  const remove = async () => {
    await call('DELETE /api/pdas/:id', { params: { id: pdaId } });
    showToast(texts.removed(address));
    close();
    await invalidate('pdas');
  };
  const approveKey = async () => {
    await call('PUT /api/pdas/:id/key', { params: { id: pdaId }, body: { publicKey: waitingKey ?? '' } });
    await invalidate('pdas');
    showToast(texts.approveKeyDone);
  };
  return (
    <Stack gap="lg">
      {waitingKey !== null && (
        <Callout tone="attention" title={texts.waiting}>
          <Stack gap="sm">
            <Text>{texts.waitingText}</Text>
            <dl className={classes.keys}>
              <dt>{texts.knownKey}</dt>
              <dd>
                <Fingerprint pem={publicKey} />
              </dd>
              <dt>{texts.newKey}</dt>
              <dd>
                <Fingerprint pem={waitingKey} />
              </dd>
            </dl>
            <Text>{texts.waitingAsk}</Text>
            <Group>
              <Button variant="default" onClick={() => setOpenDialog('key')}>
                {texts.approveKey}
              </Button>
            </Group>
          </Stack>
        </Callout>
      )}
      <FactList
        facts={[
          { term: texts.registered, value: <Timestamp at={pda.registered} /> },
          { term: texts.refreshed, value: <Timestamp at={pda.refreshed} /> },
          { term: texts.lastSeen, value: <Timestamp at={pda.lastSeen} /> },
          { term: texts.fingerprint, value: <Fingerprint pem={publicKey} /> },
        ]}
      />
      <Group>
        <Button variant="default" c="var(--stop)" onClick={() => setOpenDialog('remove')}>
          {texts.remove}
        </Button>
      </Group>
      <ConfirmDialog
        opened={openDialog === 'remove'}
        close={() => setOpenDialog(undefined)}
        title={texts.removeTitle(address)}
        cancelLabel={texts.keep}
        confirmLabel={texts.remove}
        onConfirm={remove}
      >
        {texts.removeText}
      </ConfirmDialog>
      <ConfirmDialog
        opened={openDialog === 'key'}
        close={() => setOpenDialog(undefined)}
        title={texts.approveKeyTitle(address)}
        cancelLabel={texts.notYet}
        confirmLabel={texts.approveKey}
        onConfirm={approveKey}
      >
        {typeof newFingerprint === 'string' ? texts.approveKeyText(newFingerprint) : texts.approveUnseenKeyText}
      </ConfirmDialog>
    </Stack>
  );
}

/** Returns undefined until the fingerprint is computed, and null where browsers cannot compute it. */
const useFingerprint = (pem: string): string | null | undefined =>
  useQuery({
    queryKey: ['fingerprint', pem],
    queryFn: async () => (await fingerprintOf(pem)) ?? null,
    enabled: pem !== '',
    staleTime: Number.POSITIVE_INFINITY,
  }).data;

function Fingerprint({ pem }: { pem: string }) {
  const fingerprint = useFingerprint(pem);
  return (
    <span className={classes.key}>
      <code title={texts.fingerprintHint}>{fingerprint === null ? texts.insecure : fingerprint}</code>
      <CopyIconButton value={pem} label={texts.copyKey} />
    </span>
  );
}
