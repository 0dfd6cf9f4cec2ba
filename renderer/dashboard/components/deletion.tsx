import { Button, Group, Kbd, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { call } from '../../shared/api/client.ts';
import type { Deletion } from '../../shared/api/contract.ts';
import { refreshData } from '../api/queries.ts';
import { m } from '../../shared/messages/texts.ts';
import { showToast, showProblemToast } from '../../shared/feedback/toasts.tsx';

/** Deletes records and offers to undo it: by a button, by Ctrl+Z while the notice is shown, and for 30 days in the list of deletions. */

const UNDO_OFFER_MS = 12_000;

interface Offer {
  title: string;
  text: string;
  undo: () => void;
}

let offered: { undo: () => void; notice: string } | undefined;

export async function undoDeletion(deletion: Pick<Deletion, 'deletionId'>): Promise<void> {
  try {
    const undone = await call('POST /api/v2.6/owner/deletions/:deletionId/undo', {
      params: { deletionId: deletion.deletionId },
    });
    showToast(m.data.deletion.undone(undone.records));
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
  }
  await refreshData();
}

function undoOffered(): void {
  if (offered === undefined) return;
  const { undo, notice } = offered;
  offered = undefined;
  notifications.hide(notice);
  undo();
}

export function offerUndo({ title, text, undo }: Offer): void {
  const words = m.data.deletion;
  const notice = notifications.show({
    title,
    color: 'brick',
    autoClose: UNDO_OFFER_MS,
    onClose: () => {
      if (offered?.undo === undo) offered = undefined;
    },
    message: (
      <Group gap="sm" mt={4}>
        <Text size="sm" c="dimmed" flex={1}>
          {text}
        </Text>
        <Button
          size="xs"
          variant="default"
          onClick={undoOffered}
          rightSection={
            <Kbd size="xs" visibleFrom="sm">
              {words.undoKeys}
            </Kbd>
          }
        >
          {words.undo}
        </Button>
      </Group>
    ),
  });
  offered = { undo, notice };
}

function offer(deletion: Deletion): void {
  const whole = deletion.endpoint;
  const words = m.data.deletion;
  offerUndo({
    title: whole === null ? words.done(deletion.records) : words.endpointDone(whole),
    text: whole === null ? words.doneText : words.endpointDoneText(deletion.records),
    undo: () => void undoDeletion(deletion),
  });
}

export async function deleteRecords(endpoint: string, records: string[]): Promise<boolean> {
  try {
    offer(await call('POST /api/v2.6/owner/deletions', { body: { records } }));
    await refreshData(endpoint);
    return true;
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
    return false;
  }
}

export async function deleteEndpoint(endpoint: string): Promise<void> {
  offer(await call('POST /api/v2.6/owner/deletions', { body: { endpoint } }));
  await refreshData();
}

/** Ctrl+Z undoes the last deletion. In a text field it stays with the text. */
export function handleUndoKey(event: KeyboardEvent): void {
  if (event.key.toLowerCase() !== 'z' || !(event.ctrlKey || event.metaKey) || event.shiftKey || offered === undefined)
    return;
  const target = event.target;
  if (target instanceof HTMLElement && target.matches('input:not([type=checkbox]), textarea, [contenteditable]'))
    return;
  event.preventDefault();
  undoOffered();
}
