import { Button, Group, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { makeFilePublic, allowUser, makeFilePrivate, restrictUser } from '../../../api/files/queries.ts';
import { showToast, showProblemToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';

/** Sharing and its end. What is offered after an end is to share again. */

const words = m.files.share;
const OFFER_MS = 12_000;

type Person = OwnerFile['shared'][number];

/** True when it was done. */
async function tried(act: () => Promise<void>): Promise<boolean> {
  try {
    await act();
    return true;
  } catch (error) {
    showProblemToast(m.shell.problem.notDone, error);
    return false;
  }
}

export async function shareWithPerson({ file }: OwnerFile, person: Person): Promise<void> {
  const { userId, name, contentReadable } = person;
  if (await tried(() => allowUser(file.fileId, userId, contentReadable)))
    showToast(contentReadable ? words.allowed(name) : words.allowedSee(name));
}

export async function shareWithAnybody({ file }: OwnerFile): Promise<void> {
  if (await tried(() => makeFilePublic(file.fileId))) showToast(words.madePublic);
}

function offerAgain(title: string, again: () => Promise<void>): void {
  const notice = notifications.show({
    title,
    color: 'brick',
    autoClose: OFFER_MS,
    message: (
      <Group gap="sm" mt={4}>
        <Text size="sm" c="dimmed" flex={1}>
          {words.stoppedText}
        </Text>
        <Button
          size="xs"
          variant="default"
          onClick={() => {
            notifications.hide(notice);
            void again();
          }}
        >
          {words.again}
        </Button>
      </Group>
    ),
  });
}

export async function stopForPerson(file: OwnerFile, person: Person): Promise<void> {
  if (await tried(() => restrictUser(file.file.fileId, person.userId)))
    offerAgain(words.stopped(person.name), () => shareWithPerson(file, person));
}

export async function stopForAnybody(file: OwnerFile): Promise<void> {
  if (await tried(() => makeFilePrivate(file.file.fileId)))
    offerAgain(words.stoppedPublic, () => shareWithAnybody(file));
}
