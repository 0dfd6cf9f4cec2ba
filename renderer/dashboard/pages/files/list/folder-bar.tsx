import { Group } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { m } from '../../../../shared/messages/texts.ts';
import { fileFolders } from '../../../api/files/queries.ts';
import { folderTarget } from '../../../api/files/target-shares.ts';
import { ShareTargetButtons } from '../sharing/share-target-buttons.tsx';
import classes from './folder-bar.module.css';
import { FolderPath } from './folder-path.tsx';
import { ShortList } from './short-list.tsx';

const texts = m.files.folders;

interface FolderBarProps {
  /** Empty for all files. */
  folder: string;
  open: (folder: string) => void;
}

export function FolderBar({ folder, open }: FolderBarProps) {
  const names = useQuery(fileFolders(folder)).data?.folders ?? [];
  if (folder === '' && names.length === 0) return null;
  const subfolders = names.map((name) => ({ id: folder === '' ? name : `${folder}/${name}`, name }));
  return (
    <nav className={classes.bar} aria-label={texts.label}>
      {folder !== '' && (
        <Group justify="space-between" gap="0.5rem 1rem">
          <FolderPath folder={folder} topLabel={texts.all} open={open} />
          <Group gap="sm">
            <ShareTargetButtons target={folderTarget(folder)} />
          </Group>
        </Group>
      )}
      {names.length > 0 && <ShortList key={folder} items={subfolders} icon={IconFolder} open={open} />}
    </nav>
  );
}
