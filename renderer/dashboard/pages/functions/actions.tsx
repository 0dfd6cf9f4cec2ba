import { Button, FileButton, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconDatabaseExport,
  IconFlask,
  IconHistory,
  IconPackageImport,
  IconPlayerPlay,
  IconPower,
  IconTrash,
} from '@tabler/icons-react';
import { Link, useNavigate } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import type { OwnerFunction } from '../../../shared/api/contract.ts';
import { functionById, refreshFunctions } from '../../api/functions/queries.ts';
import { toProblem } from '../../../shared/api/problem.ts';
import { refreshData } from '../../api/queries.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { ConfirmDialog, ConfirmEndDialog } from '../../../shared/overlay/confirm.tsx';
import { OverflowMenu } from '../../../shared/components/overflow-menu.tsx';
import { showToast, showProblemToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { functionPath } from '../../navigation.ts';
import { isAvailable, isOn, functionStateOf } from './status/state.ts';
import { useInstall } from './installation/use-install.ts';
import { nameOf } from './function-text.ts';

const words = m.functions.actions;
const ICON = { size: 16, stroke: 1.6 } as const;

/** Runs it, and says what came of that when it has ended. */
async function run(one: OwnerFunction, useAll: boolean): Promise<void> {
  const { id } = one;
  const name = nameOf(one);
  try {
    await call('GET /api/v2.6/she/function/:id/trigger', {
      params: { id },
      query: { useAll: useAll ? 'true' : 'false' },
    });
    await refreshFunctions();
    const now = await queryClient.fetchQuery(functionById(id));
    showToast(words.ran(name), words.ranStored(now.lastRun?.recordsOut ?? 0));
  } catch (error) {
    // Refused, it did not even begin.
    showProblemToast((toProblem(error).status === 502 ? words.runFailed : words.notRun)(name), error);
    await refreshFunctions();
  }
  await refreshData(one.writes);
}

/** What can be done with a function. */
export function Actions({ one }: { one: OwnerFunction }) {
  const { id } = one;
  const install = useInstall(one);
  const [disabling, disable] = useDisclosure(false);
  const [removing, remove] = useDisclosure(false);
  const [readingAll, readAll] = useDisclosure(false);
  const state = functionStateOf(one);
  const can = isAvailable(one);
  const on = isOn(one);
  const idle = state !== 'running' && state !== 'queued';
  return (
    <>
      {can && !on && (
        <Button component={Link} to={functionPath(id, 'enable')} leftSection={<IconPower {...ICON} />}>
          {words.enable}
        </Button>
      )}
      {can && on && state !== 'decision' && (
        <Button leftSection={<IconPlayerPlay {...ICON} />} disabled={!idle} onClick={() => void run(one, false)}>
          {words.run}
        </Button>
      )}
      {can && (
        <Button
          component={Link}
          to={functionPath(id, 'dry-run')}
          variant="default"
          leftSection={<IconFlask {...ICON} />}
        >
          {words.dryRun}
        </Button>
      )}
      {on && (
        <Button variant="default" c="var(--stop)" leftSection={<IconPower {...ICON} />} onClick={disable.open}>
          {words.disable}
        </Button>
      )}
      <FileButton
        accept=".zip,application/zip"
        inputProps={{ 'aria-label': words.update }}
        onChange={(file) => file !== null && void install([file])}
      >
        {({ onClick }) => (
          <OverflowMenu label={words.more}>
            {can && on && state !== 'decision' && (
              <Menu.Item leftSection={<IconDatabaseExport {...ICON} />} disabled={!idle} onClick={readAll.open}>
                {words.runAll}
              </Menu.Item>
            )}
            <Menu.Item component={Link} to={functionPath(id, 'runs')} leftSection={<IconHistory {...ICON} />}>
              {words.history}
            </Menu.Item>
            {one.place.kind === 'here' && (
              <Menu.Item leftSection={<IconPackageImport {...ICON} />} onClick={onClick}>
                {words.update}
              </Menu.Item>
            )}
            {one.package !== null && (
              <Menu.Item c="var(--stop)" leftSection={<IconTrash {...ICON} />} onClick={remove.open}>
                {words.remove}
              </Menu.Item>
            )}
          </OverflowMenu>
        )}
      </FileButton>
      <Disable one={one} opened={disabling} close={disable.close} />
      <Remove one={one} opened={removing} close={remove.close} />
      <ReadAll one={one} opened={readingAll} close={readAll.close} />
    </>
  );
}

interface AskProps {
  one: OwnerFunction;
  opened: boolean;
  close: () => void;
}

function Disable({ one, opened, close }: AskProps) {
  const said = m.functions.disable;
  const disable = async () => {
    await call('GET /api/v2.6/she/function/:id/disable', { params: { id: one.id } });
    await refreshFunctions();
  };
  return (
    <ConfirmEndDialog opened={opened} close={close} name={nameOf(one)} words={said} end={disable}>
      <Text size="sm">
        {said.text} {one.place.kind === 'elsewhere' && said.textElsewhere(one.place.host)}
      </Text>
    </ConfirmEndDialog>
  );
}

function Remove({ one, opened, close }: AskProps) {
  const said = m.functions.remove;
  const navigate = useNavigate();
  const remove = async () => {
    await call('DELETE /api/v2.6/owner/functions/:id', { params: { id: one.id } });
    await refreshFunctions();
    await navigate('/functions');
  };
  return (
    <ConfirmEndDialog opened={opened} close={close} name={nameOf(one)} words={said} end={remove}>
      {said.text(one.writes)}
    </ConfirmEndDialog>
  );
}

/** More than a run as it comes by itself, so it is asked once more. The run goes on when the dialog is closed. */
function ReadAll({ one, opened, close }: AskProps) {
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={words.runAllTitle(nameOf(one))}
      keep={words.cancel}
      submit={words.runAllSubmit}
      onConfirm={() => {
        void run(one, true);
        return Promise.resolve();
      }}
    >
      <Text size="sm">
        {words.runAllText} {one.place.kind === 'elsewhere' && words.runAllLeaves(one.place.host)}
      </Text>
    </ConfirmDialog>
  );
}
