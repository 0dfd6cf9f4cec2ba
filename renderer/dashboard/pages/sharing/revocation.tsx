import { Anchor, Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { call } from '../../../shared/api/client.ts';
import type { OwnerDebit } from '../../../shared/api/contract.ts';
import { debitQuery, refreshDebits } from '../../api/sharing/debits.ts';
import { toProblem } from '../../../shared/api/problem.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { runWithToast, showToast, showProblemToast } from '../../../shared/feedback/toasts.tsx';
import { nearTimeText } from '../../../shared/consent/timing-text.ts';
import { m } from '../../../shared/messages/texts.ts';
import { requestPath, sharingPath } from '../../navigation.ts';
import { proofQuery, statusText } from './revocation-proof.tsx';
import { canUndoStop, isEnabled, scheduledPermissions } from './status-text.ts';

const texts = m.sharing.stopped;
const UNDO_OFFER_MS = 20_000;

async function fetchProofTexts(key: string, name: string): Promise<{ title: string; text: string }> {
  try {
    const { result, status } = await queryClient.fetchQuery({ ...proofQuery(key), staleTime: 0 });
    return {
      title: result === 'shared' ? texts.stillShared(name) : texts.title(name),
      text: texts.proof[result](statusText(status)),
    };
  } catch {
    // Sharing has stopped even if the check fails. The consent page shows the state.
    return { title: texts.title(name), text: texts.unproved };
  }
}

/** Stops sharing immediately, shows whether the requester's request is now refused, and offers Undo if possible. */
export async function stopSharing({ debit }: OwnerDebit): Promise<void> {
  const key = debit.dataDebitKey;
  const isStopped = await runWithToast(() =>
    call('GET /api/v2.6/data-debit/*key/disable', { params: { key }, query: { atPeriodEnd: 'false' } }),
  );
  if (!isStopped) return;
  await refreshDebits();
  const { title, text } = await fetchProofTexts(key, debit.requestClientName);
  const notificationId = notifications.show({
    title,
    color: 'brick',
    autoClose: UNDO_OFFER_MS,
    message: (
      <>
        <Text c="dimmed">{text}</Text>
        <Group gap="sm" mt={6}>
          {canUndoStop(debit) && (
            <Button
              size="xs"
              variant="default"
              onClick={() => {
                notifications.hide(notificationId);
                void shareAgain(key, debit.requestClientName);
              }}
            >
              {m.shell.undo}
            </Button>
          )}
          <Anchor href={`#${sharingPath(key)}`} onClick={() => notifications.hide(notificationId)}>
            {texts.viewProof}
          </Anchor>
        </Group>
      </>
    ),
  });
}

/**
 * Enables a stopped permission again, or keeps one that would stop at the end of its period. If a request is pending,
 * opens its page instead, so that the owner decides.
 */
export async function shareAgain(key: string, name: string): Promise<void> {
  try {
    const ownerDebit = await queryClient.fetchQuery({ ...debitQuery(key), staleTime: 0 });
    if (ownerDebit.waiting !== null) {
      location.hash = requestPath(key);
      return;
    }
    // The server refuses if a request has arrived or another permission has been accepted since, or if this permission
    // would have ended by now.
    const permissionId = ownerDebit.debit.permissions.find(({ accepted }) => accepted)?.permissionId;
    const { active, pausedUntil, permissions } = await call('GET /api/v2.6/data-debit/*key/enable', {
      params: { key },
      query: { approve: 'false', ...(permissionId === undefined ? {} : { permissionId }) },
    });
    const sharingStart = pausedUntil ?? scheduledPermissions(permissions)[0]?.start;
    if (isEnabled(ownerDebit)) showToast(m.sharing.continues(name));
    else if (active || sharingStart === undefined) showToast(m.sharing.enabledAgain(name));
    else showToast(m.sharing.allowedAgain(name, nearTimeText(new Date(sharingStart), new Date())));
  } catch (error) {
    if (toProblem(error).status === 409) {
      // The request page shows the pending request, or redirects to the consent.
      location.hash = requestPath(key);
      showToast(m.requests.changed.title, m.requests.changed.text);
    } else showProblemToast(m.shell.problem.notDone, error);
  }
  await refreshDebits();
}
