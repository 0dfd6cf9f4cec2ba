import { Button, Group, Kbd, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { call } from '../../shared/api/client.ts';
import type { Deletion } from '../../shared/api/contract.ts';
import { refreshData } from '../api/queries.ts';
import { m } from '../../shared/messages/texts.ts';
import { showToast, showProblemToast, runWithToast } from '../../shared/feedback/toasts.tsx';

/** Duration of the toast. During this time, its button or Ctrl+Z undoes the action. */
const UNDO_OFFER_MS = 12_000;

interface UndoOffer {
  title: string;
  text: string;
  color?: 'brick' | 'teal';
  /** True to show the toast until the owner closes it or another undo is offered. */
  staysOpen?: boolean;
  undo: () => void;
}

let currentOffer: { undo: () => void; toastId: string } | undefined;

export async function undoDeletion(deletion: Pick<Deletion, 'deletionId'>): Promise<void> {
  await runWithToast(async () => {
    const undoResult = await call('POST /api/v2.6/owner/deletions/:deletionId/undo', {
      params: { deletionId: deletion.deletionId },
    });
    showToast(m.data.deletion.undone(undoResult.records));
  });
  await refreshData();
}

function runOfferedUndo(): void {
  if (currentOffer === undefined) return;
  const { undo, toastId } = currentOffer;
  currentOffer = undefined;
  notifications.hide(toastId);
  undo();
}

export function offerUndo({ title, text, color = 'brick', staysOpen = false, undo }: UndoOffer): void {
  const texts = m.data.deletion;
  // Hides an older toast, because its undo button would undo this action.
  if (currentOffer !== undefined) notifications.hide(currentOffer.toastId);
  const toastId = notifications.show({
    title,
    color,
    autoClose: staysOpen ? false : UNDO_OFFER_MS,
    onClose: () => {
      if (currentOffer?.undo === undo) currentOffer = undefined;
    },
    message: (
      <Group gap="sm" mt={4}>
        <Text c="dimmed" flex={1}>
          {text}
        </Text>
        <Button
          size="xs"
          variant="default"
          onClick={runOfferedUndo}
          rightSection={
            <Kbd size="xs" visibleFrom="sm">
              {texts.undoKeys}
            </Kbd>
          }
        >
          {m.shell.undo}
        </Button>
      </Group>
    ),
  });
  currentOffer = { undo, toastId };
}

function showUndoOffer(deletion: Deletion): void {
  const endpoint = deletion.endpoint;
  const texts = m.data.deletion;
  offerUndo({
    title: endpoint === null ? texts.done(deletion.records) : texts.endpointDone(endpoint),
    text: endpoint === null ? texts.doneText : texts.endpointDoneText(deletion.records),
    undo: () => void undoDeletion(deletion),
  });
}

/** Deletes records and offers to undo the deletion. On failure, shows the error as a toast and resolves to false. */
export async function deleteRecords(endpoint: string, recordIds: string[]): Promise<boolean> {
  try {
    showUndoOffer(await call('POST /api/v2.6/owner/deletions', { body: { records: recordIds } }));
    return true;
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
    return false;
  } finally {
    // After an error, some records may have been deleted.
    await refreshData(endpoint);
  }
}

export async function deleteEndpoint(endpoint: string): Promise<void> {
  showUndoOffer(await call('POST /api/v2.6/owner/deletions', { body: { endpoint } }));
  await refreshData();
}

/** Runs the toast's undo action on Ctrl+Z or Cmd+Z. Text fields keep their own undo. */
export function handleUndoKey(event: KeyboardEvent): void {
  if (
    event.key.toLowerCase() !== 'z' ||
    !(event.ctrlKey || event.metaKey) ||
    event.shiftKey ||
    currentOffer === undefined
  )
    return;
  const target = event.target;
  if (target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, [contenteditable]'))
    return;
  event.preventDefault();
  runOfferedUndo();
}
