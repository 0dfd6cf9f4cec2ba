import { Anchor, Group, Menu, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Collection } from '../../../../shared/api/contract.ts';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { OverflowMenu } from '../../../../shared/components/overflow-menu.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { ConfirmEndDialog } from '../../../../shared/overlay/confirm.tsx';
import { collections, deleteCollection } from '../../../api/files/collections.ts';
import { collectionTarget } from '../../../api/files/target-shares.ts';
import classes from '../list/folder-bar.module.css';
import pathClasses from '../list/folder-path.module.css';
import { ShortList } from '../list/short-list.tsx';
import { ShareTargetButtons } from '../sharing/share-target-buttons.tsx';
import { RenameCollection } from './name-dialog.tsx';

const texts = m.collections;

interface CollectionBarProps {
  /** Id of the open collection; undefined for all files. */
  openId: string | undefined;
  open: (collectionId: string | undefined) => void;
}

export function CollectionBar({ openId, open }: CollectionBarProps) {
  const allCollections = useQuery(collections).data ?? [];
  if (openId !== undefined) {
    const collection = allCollections.find(({ collectionId }) => collectionId === openId);
    return <OpenCollection collection={collection} close={() => open(undefined)} />;
  }
  if (allCollections.length === 0) return null;
  return (
    <nav className={classes.bar} aria-label={texts.label}>
      <ShortList
        items={allCollections.map(({ collectionId, name }) => ({ id: collectionId, name }))}
        icon={IconStack2}
        open={open}
      />
    </nav>
  );
}

/** @param collection undefined while it is loading, and after it was deleted */
function OpenCollection({ collection, close }: { collection: Collection | undefined; close: () => void }) {
  return (
    <nav className={classes.bar} aria-label={texts.label}>
      <Group justify="space-between" gap="0.5rem 1rem">
        <ol className={pathClasses.path}>
          <li>
            <Anchor component="button" type="button" onClick={close}>
              {texts.all}
            </Anchor>
          </li>
          {collection !== undefined && (
            <li>
              <Text component="span" fw={600} aria-current="location">
                <UntrustedText>{collection.name}</UntrustedText>
              </Text>
            </li>
          )}
        </ol>
        {collection !== undefined && (
          <Group gap="sm">
            <ShareTargetButtons target={collectionTarget(collection)} />
            <CollectionMenu collection={collection} close={close} />
          </Group>
        )}
      </Group>
    </nav>
  );
}

function CollectionMenu({ collection, close }: { collection: Collection; close: () => void }) {
  const { collectionId, name } = collection;
  const [isRenaming, renaming] = useDisclosure(false);
  const [isDeleting, deletion] = useDisclosure(false);
  const remove = async () => {
    await deleteCollection(collectionId);
    close();
  };
  return (
    <>
      <OverflowMenu label={texts.actions(name)}>
        <Menu.Item onClick={renaming.open}>{m.shell.rename}</Menu.Item>
        <Menu.Item c="var(--stop)" onClick={deletion.open}>
          {m.shell.delete}
        </Menu.Item>
      </OverflowMenu>
      <RenameCollection collection={collection} opened={isRenaming} close={renaming.close} />
      <ConfirmEndDialog opened={isDeleting} close={deletion.close} name={name} texts={texts.delete} end={remove}>
        {texts.delete.text}
      </ConfirmEndDialog>
    </>
  );
}
