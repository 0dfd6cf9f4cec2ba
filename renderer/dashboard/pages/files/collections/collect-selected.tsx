import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconStack2, IconStackPop } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { OwnerFile } from '../../../../shared/api/contract.ts';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { runWithToast, showToast } from '../../../../shared/feedback/toasts.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import {
  addToCollection,
  collections,
  createCollection,
  removeFromCollection,
} from '../../../api/files/collections.ts';
import { refreshFiles } from '../../../api/files/queries.ts';
import { NameDialog } from './name-dialog.tsx';

const texts = m.collections;
const ICON_PROPS = { size: 16, stroke: 1.6 } as const;

interface CollectSelectedProps {
  files: readonly OwnerFile[];
  /** Id of the open collection; undefined if none is open. */
  openId: string | undefined;
  onRemoved: () => void;
}

export function CollectSelected({ files, openId, onRemoved }: CollectSelectedProps) {
  const allCollections = useQuery(collections).data ?? [];
  const [isNaming, naming] = useDisclosure(false);
  const [busy, setBusy] = useState(false);
  const fileIds = files.map(({ file }) => file.fileId);
  const openCollection = allCollections.find(({ collectionId }) => collectionId === openId);

  const run = async (action: () => Promise<void>, doneText: string) => {
    setBusy(true);
    if (await runWithToast(action)) showToast(doneText);
    setBusy(false);
  };
  const create = async (name: string) => {
    const { collectionId } = await createCollection(name);
    await refreshFiles();
    await run(() => addToCollection(collectionId, fileIds), texts.add.done(fileIds.length, name));
  };

  return (
    <>
      <Menu position="bottom-start">
        <Menu.Target>
          <Button size="xs" variant="default" loading={busy} leftSection={<IconStack2 {...ICON_PROPS} />}>
            {texts.add.action}
          </Button>
        </Menu.Target>
        <Menu.Dropdown
          maw="min(20rem, 90vw)"
          mah="min(24rem, 60vh)"
          style={{ overflowY: 'auto', overflowWrap: 'anywhere' }}
        >
          <Menu.Item leftSection={<IconPlus {...ICON_PROPS} />} onClick={naming.open}>
            {texts.create.action}
          </Menu.Item>
          {allCollections.length > 0 && <Menu.Divider />}
          {allCollections.map(({ collectionId, name }) => (
            <Menu.Item
              key={collectionId}
              onClick={() =>
                void run(() => addToCollection(collectionId, fileIds), texts.add.done(fileIds.length, name))
              }
            >
              <UntrustedText>{name}</UntrustedText>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      {openCollection !== undefined && (
        <Button
          size="xs"
          variant="default"
          loading={busy}
          leftSection={<IconStackPop {...ICON_PROPS} />}
          onClick={() =>
            void run(
              async () => {
                await removeFromCollection(openCollection.collectionId, fileIds);
                onRemoved();
              },
              texts.remove.done(fileIds.length, openCollection.name),
            )
          }
        >
          {texts.remove.action}
        </Button>
      )}
      <NameDialog
        opened={isNaming}
        close={naming.close}
        title={texts.create.action}
        submitLabel={texts.create.submit}
        initialName=""
        onSubmit={create}
      />
    </>
  );
}
