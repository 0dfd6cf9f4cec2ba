import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { makeFilePublic, allowUser, makeFilePrivate, restrictUser } from '../../../api/files/queries.ts';
import { runWithToast, showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';

const texts = m.files.share;
const UNDO_TOAST_MS = 12_000;

type FileUser = OwnerFile['shared'][number];

export async function shareWithUser({ file }: OwnerFile, user: FileUser): Promise<void> {
  const { userId, name, contentReadable } = user;
  if (await runWithToast(() => allowUser(file.fileId, userId, contentReadable)))
    showToast(contentReadable ? texts.allowed(name) : texts.allowedSee(name));
}

export async function makePublic({ file }: OwnerFile): Promise<void> {
  if (await runWithToast(() => makeFilePublic(file.fileId))) showToast(texts.madePublic);
}

function offerToShareAgain(title: string, shareAgain: () => Promise<void>): void {
  const notificationId = notifications.show({
    title,
    color: 'brick',
    autoClose: UNDO_TOAST_MS,
    message: (
      <Group gap="sm" mt={4}>
        <Text c="dimmed" flex={1}>
          {texts.stoppedText}
        </Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            notifications.hide(notificationId);
            void shareAgain();
          }}
        >
          {m.shell.undo}
        </Button>
      </Group>
    ),
  });
}

export async function revokeUserAccess(file: OwnerFile, user: FileUser): Promise<void> {
  if (await runWithToast(() => restrictUser(file.file.fileId, user.userId)))
    offerToShareAgain(texts.stopped(user.name), () => shareWithUser(file, user));
}

export async function makePrivate(file: OwnerFile): Promise<void> {
  if (await runWithToast(() => makeFilePrivate(file.file.fileId)))
    offerToShareAgain(texts.stoppedPublic, () => makePublic(file));
}
