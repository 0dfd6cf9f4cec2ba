import { Button, Menu, Text } from '@mantine/core';
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
import { refreshData } from '../../api/queries.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { ConfirmDialog, ConfirmEndDialog } from '../../../shared/overlay/confirm.tsx';
import { RepeatableFileButton } from '../../../shared/form/repeatable-file-button.tsx';
import { OverflowMenu } from '../../../shared/components/overflow-menu.tsx';
import { showToast, showProblemToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { functionPath } from '../../navigation.ts';
import { isAvailable, isOn, functionStateOf } from './status/state.ts';
import { useInstall } from './installation/use-install.ts';
import { nameOf, runProblemTitle } from './function-text.ts';
import type { DialogState } from '../../../shared/overlay/dialog.tsx';

const texts = m.functions.actions;
const ICON_PROPS = { size: 16, stroke: 1.6 } as const;

async function runFunction(ownerFunction: OwnerFunction, usesAllData: boolean): Promise<void> {
  const { id } = ownerFunction;
  const name = nameOf(ownerFunction);
  try {
    await call('GET /api/v2.6/she/function/:id/trigger', {
      params: { id },
      query: { useAll: usesAllData ? 'true' : 'false' },
    });
    await refreshFunctions();
    const updatedFunction = await queryClient.fetchQuery(functionById(id));
    showToast(texts.runDone(name), texts.runDoneText(updatedFunction.lastRun?.recordsOut ?? 0));
  } catch (error) {
    showProblemToast(runProblemTitle(name, error), error);
    await refreshFunctions();
  }
  await refreshData(ownerFunction.writes);
}

export function FunctionActions({ ownerFunction }: { ownerFunction: OwnerFunction }) {
  const { id } = ownerFunction;
  const install = useInstall(ownerFunction);
  const [isDisableOpen, disableDialog] = useDisclosure(false);
  const [isRemoveOpen, removeDialog] = useDisclosure(false);
  const [isRunAllOpen, runAllDialog] = useDisclosure(false);
  const state = functionStateOf(ownerFunction);
  const canRun = isAvailable(ownerFunction);
  const isEnabled = isOn(ownerFunction);
  const isIdle = state !== 'running' && state !== 'queued';
  return (
    <>
      {canRun && !isEnabled && (
        <Button component={Link} to={functionPath(id, 'enable')} leftSection={<IconPower {...ICON_PROPS} />}>
          {texts.enable}
        </Button>
      )}
      {canRun && isEnabled && state !== 'decision' && (
        <Button
          leftSection={<IconPlayerPlay {...ICON_PROPS} />}
          disabled={!isIdle}
          onClick={() => void runFunction(ownerFunction, false)}
        >
          {texts.run}
        </Button>
      )}
      {canRun && (
        <Button
          component={Link}
          to={functionPath(id, 'dry-run')}
          variant="default"
          leftSection={<IconFlask {...ICON_PROPS} />}
        >
          {texts.dryRun}
        </Button>
      )}
      {isEnabled && (
        <Button
          variant="default"
          c="var(--stop)"
          leftSection={<IconPower {...ICON_PROPS} />}
          onClick={disableDialog.open}
        >
          {texts.disable}
        </Button>
      )}
      <RepeatableFileButton
        accept=".zip,application/zip"
        inputProps={{ 'aria-label': texts.update }}
        onChoose={(file) => void install([file])}
      >
        {({ onClick }) => (
          <OverflowMenu label={m.shell.moreActions}>
            {canRun && isEnabled && state !== 'decision' && (
              <Menu.Item
                leftSection={<IconDatabaseExport {...ICON_PROPS} />}
                disabled={!isIdle}
                onClick={runAllDialog.open}
              >
                {texts.runAll}
              </Menu.Item>
            )}
            <Menu.Item component={Link} to={functionPath(id, 'runs')} leftSection={<IconHistory {...ICON_PROPS} />}>
              {texts.history}
            </Menu.Item>
            {ownerFunction.place.kind === 'here' && (
              <Menu.Item leftSection={<IconPackageImport {...ICON_PROPS} />} onClick={onClick}>
                {texts.update}
              </Menu.Item>
            )}
            {ownerFunction.package !== null && (
              <Menu.Item c="var(--stop)" leftSection={<IconTrash {...ICON_PROPS} />} onClick={removeDialog.open}>
                {m.shell.remove}
              </Menu.Item>
            )}
          </OverflowMenu>
        )}
      </RepeatableFileButton>
      <DisableDialog ownerFunction={ownerFunction} opened={isDisableOpen} close={disableDialog.close} />
      <RemoveDialog ownerFunction={ownerFunction} opened={isRemoveOpen} close={removeDialog.close} />
      <RunAllDialog ownerFunction={ownerFunction} opened={isRunAllOpen} close={runAllDialog.close} />
    </>
  );
}

interface DialogProps extends DialogState {
  ownerFunction: OwnerFunction;
}

function DisableDialog({ ownerFunction, opened, close }: DialogProps) {
  const disableTexts = m.functions.disable;
  const disable = async () => {
    await call('GET /api/v2.6/she/function/:id/disable', { params: { id: ownerFunction.id } });
    await refreshFunctions();
  };
  return (
    <ConfirmEndDialog opened={opened} close={close} name={nameOf(ownerFunction)} texts={disableTexts} end={disable}>
      <Text>
        {disableTexts.text}{' '}
        {ownerFunction.place.kind === 'elsewhere' && disableTexts.textRemote(ownerFunction.place.host)}
      </Text>
    </ConfirmEndDialog>
  );
}

function RemoveDialog({ ownerFunction, opened, close }: DialogProps) {
  const removeTexts = m.functions.remove;
  const navigate = useNavigate();
  const remove = async () => {
    await call('DELETE /api/v2.6/owner/functions/:id', { params: { id: ownerFunction.id } });
    await refreshFunctions();
    await navigate('/functions');
  };
  return (
    <ConfirmEndDialog opened={opened} close={close} name={nameOf(ownerFunction)} texts={removeTexts} end={remove}>
      {removeTexts.text(ownerFunction.writes)}
    </ConfirmEndDialog>
  );
}

function RunAllDialog({ ownerFunction, opened, close }: DialogProps) {
  return (
    <ConfirmDialog
      opened={opened}
      close={close}
      title={texts.runAllTitle(nameOf(ownerFunction))}
      cancelLabel={m.shell.cancel}
      confirmLabel={texts.runAllSubmit}
      onConfirm={() => {
        // Not awaited: the dialog closes while the function runs.
        void runFunction(ownerFunction, true);
        return Promise.resolve();
      }}
    >
      <Text>
        {texts.runAllText} {ownerFunction.place.kind === 'elsewhere' && texts.runAllLeaves(ownerFunction.place.host)}
      </Text>
    </ConfirmDialog>
  );
}
