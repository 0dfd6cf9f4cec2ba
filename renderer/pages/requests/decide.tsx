import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { call } from '../../api/client.ts';
import type { Narrowing, OwnerDebit, Permission } from '../../api/contract.ts';
import { debit as debitQuery, refreshDebits } from '../../api/debits.ts';
import { asProblem } from '../../api/problem.ts';
import { queryClient } from '../../api/queries.ts';
import { AllowBar } from '../../components/consent/allow-bar.tsx';
import { type Extent, extentText } from '../../components/consent/plain-words.ts';
import { type Timing, startText, untilShort } from '../../components/consent/time-words.ts';
import type { Limit } from '../../components/consent/until.ts';
import { tell } from '../../components/notices.tsx';
import { Failed } from '../../components/states.tsx';
import { m } from '../../messages/en.ts';
import { sharingPath } from '../../navigation.ts';

const words = m.requests.decide;

interface DecideProps {
  item: OwnerDebit;
  name: string;
  permission: Permission;
  extent: Extent;
  narrowing: Narrowing | undefined;
  limit: Limit;
  timing: Timing;
  closed: string | undefined;
  now: Date;
}

/** "these 5 fields", "entire records of Steps, and 5 fields" */
function whatText({ fields, entirePlaces }: Extent): string {
  if (entirePlaces.length === 0) return words.fields(fields);
  const entire = extentText({ fields: 0, fieldPlaces: [], entirePlaces });
  return fields === 0 ? entire : m.consent.both(entire, words.fields(fields));
}

export function Decide({ item, name, permission, extent, narrowing, limit, timing, closed, now }: DecideProps) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const [asking, never] = useDisclosure(false);
  const key = item.debit.dataDebitKey;
  const isChange = item.debit.permissionsActive !== undefined;

  const allow = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const granted = await call('POST /api/v2.6/owner/debits/*key/grant', {
        params: { key },
        body: {
          permissionId: permission.permissionId,
          ...(narrowing === undefined ? {} : { narrowing }),
          ...limit,
        },
      });
      queryClient.setQueryData(debitQuery(key).queryKey, granted);
      await navigate(sharingPath(key), { replace: true });
      tell(
        Date.parse(timing.start) > now.getTime()
          ? words.allowedLater(name, startText(timing, now))
          : words.allowed(name),
        words.allowedText(extentText(extent), untilShort(timing, now)),
      );
      await refreshDebits();
    } catch (error) {
      // A newer request took its place: that one is shown, and nothing was allowed.
      if (asProblem(error).status === 409) await refreshDebits();
      setProblem(error);
      setBusy(false);
    }
  };

  return (
    <>
      {problem !== undefined && <Failed error={problem} title={m.shell.problem.notDone} />}
      <AllowBar
        allow={words.allow(whatText(extent), untilShort(timing, now))}
        closed={closed}
        busy={busy}
        onAllow={() => void allow()}
      >
        <Button variant="default" onClick={() => void navigate('/requests')}>
          {words.notNow}
        </Button>
        <Button variant="default" c="var(--stop)" onClick={never.open}>
          {words.never}
        </Button>
      </AllowBar>
      <Modal
        opened={asking}
        onClose={never.close}
        title={words.neverTitle(name)}
        closeButtonProps={{ 'aria-label': m.shell.close }}
      >
        <Never dataDebitKey={key} name={name} isChange={isChange} close={never.close} />
      </Modal>
    </>
  );
}

interface NeverProps {
  dataDebitKey: string;
  name: string;
  isChange: boolean;
  close: () => void;
}

function Never({ dataDebitKey, name, isChange, close }: NeverProps) {
  const navigate = useNavigate();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>();
  const refuse = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await call('POST /api/v2.6/data-debit/*key/reject', { params: { key: dataDebitKey } });
      await navigate('/requests', { replace: true });
      tell(words.refused(name), isChange ? words.refusedChangeText : words.refusedText);
      await refreshDebits();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return (
    <Stack gap="md">
      <Text size="sm">{isChange ? words.neverChangeText(name) : words.neverText(name)}</Text>
      {problem !== undefined && <Failed error={problem} title={m.shell.problem.notDone} />}
      <Group justify="flex-end" gap="sm">
        <Button variant="default" onClick={close} data-autofocus>
          {words.keep}
        </Button>
        <Button color="brick" loading={busy} onClick={() => void refuse()}>
          {isChange ? words.neverChangeSubmit : words.neverSubmit}
        </Button>
      </Group>
    </Stack>
  );
}
