import { Button, NativeSelect, Radio, Stack, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMailPlus, IconUserPlus, IconWorld } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { users } from '../../../api/account/users.ts';
import { InviteDialog } from '../../../invitations/invite-dialog.tsx';
import { PlaceNotice } from '../../../share-targets/place-notice.tsx';
import { Dialog, type DialogState } from '../../../../shared/overlay/dialog.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { titleOf } from '../file-kinds.ts';
import classes from './share-dialog.module.css';
import { makePublic, shareWithUser } from './actions.tsx';
import { FileAccessList } from './access-list.tsx';
import { LinkSharing } from './link-sharing.tsx';

const texts = m.files.share;
const ICON_PROPS = { size: 16, stroke: 1.6 } as const;

interface ShareDialogProps extends DialogState {
  file: OwnerFile;
}

export function ShareDialog({ file, opened, close }: ShareDialogProps) {
  return (
    <Dialog
      opened={opened}
      onClose={close}
      size="lg"
      title={texts.title(titleOf(file))}
      // The dialog covers the drawer, and only one of them may contribute a banner landmark.
      attributes={{ header: { role: 'presentation' } }}
    >
      <PlaceNotice content={{ fileIds: [file.file.fileId] }} />
      <section className={classes.section} aria-label={texts.currentAccess}>
        <h3>{texts.currentAccess}</h3>
        <FileAccessList file={file} />
      </section>
      <section className={classes.section} aria-label={texts.person}>
        <h3>{texts.person}</h3>
        <UserSharing file={file} />
        <InviteNewUser file={file} />
      </section>
      <section className={classes.section} aria-label={m.shareLinks.create.heading}>
        <h3>{m.shareLinks.create.heading}</h3>
        <LinkSharing file={file} />
      </section>
      {!file.file.contentPublic && (
        <section className={classes.section} aria-label={texts.anyone}>
          <h3>{texts.anyone}</h3>
          <PublicSharing file={file} />
        </section>
      )}
    </Dialog>
  );
}

function UserSharing({ file }: { file: OwnerFile }) {
  const query = useQuery(users);
  const [userId, setUserId] = useState('');
  const [level, setLevel] = useState<'open' | 'see'>('open');
  const [busy, setBusy] = useState(false);
  if (query.data === undefined) return <QueryBoundary query={query} rows={2} />;
  // Disabled users are not offered, because they cannot sign in. Their earlier access is kept.
  const enabledUsers = query.data.filter((user) => user.enabled);
  if (enabledUsers.length === 0) return <Text>{texts.noPeople}</Text>;
  const selectedUser = enabledUsers.find((user) => user.userId === userId);
  const share = async (event: FormEvent) => {
    event.preventDefault();
    if (selectedUser === undefined) return;
    setBusy(true);
    await shareWithUser(file, { userId, name: selectedUser.name, contentReadable: level === 'open' });
    setBusy(false);
    setUserId('');
  };
  return (
    <form onSubmit={(event) => void share(event)}>
      <Stack gap="sm">
        <Text c="dimmed">{texts.personText}</Text>
        <NativeSelect
          label={texts.choose}
          value={userId}
          data={[
            { value: '', label: texts.chooseNone },
            ...enabledUsers.map(({ userId: value, name, email }) => ({
              value,
              label: email === undefined ? name : `${name} (${email})`,
            })),
          ]}
          onChange={({ currentTarget: { value } }) => setUserId(value)}
        />
        <Radio.Group label={texts.level} value={level} onChange={(value) => setLevel(value === 'see' ? 'see' : 'open')}>
          <Stack gap="sm" mt="xs">
            <Radio value="open" label={texts.levels.open} />
            <Radio value="see" label={texts.levels.see} />
          </Stack>
        </Radio.Group>
        <Button
          type="submit"
          w="fit-content"
          leftSection={<IconUserPlus {...ICON_PROPS} />}
          disabled={selectedUser === undefined}
          loading={busy}
        >
          {selectedUser === undefined ? texts.allowUnselected : texts.allow(selectedUser.name)}
        </Button>
      </Stack>
    </form>
  );
}

function InviteNewUser({ file }: { file: OwnerFile }) {
  const [isOpen, dialog] = useDisclosure(false);
  return (
    <Stack gap="xs" mt="md">
      <Text c="dimmed">{m.invitations.inviteNewText}</Text>
      <Button variant="default" w="fit-content" leftSection={<IconMailPlus {...ICON_PROPS} />} onClick={dialog.open}>
        {m.invitations.inviteNew}
      </Button>
      <InviteDialog opened={isOpen} close={dialog.close} fileIds={[file.file.fileId]} />
    </Stack>
  );
}

function PublicSharing({ file }: { file: OwnerFile }) {
  const [busy, setBusy] = useState(false);
  const share = async () => {
    setBusy(true);
    await makePublic(file);
    setBusy(false);
  };
  return (
    <Stack gap="sm">
      <Text>{texts.anyoneText}</Text>
      <Button
        variant="default"
        w="fit-content"
        leftSection={<IconWorld {...ICON_PROPS} />}
        loading={busy}
        onClick={() => void share()}
      >
        {texts.makePublic}
      </Button>
    </Stack>
  );
}
