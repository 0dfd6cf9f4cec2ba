import { Button, Text } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { fileFolders } from '../../../api/files/queries.ts';
import { FolderPath } from '../list/folder-path.tsx';
import classes from './bulk.module.css';

const texts = m.bulkFiles.move;

interface FolderPickerProps {
  /** Empty for the top folder. */
  folder: string;
  open: (folder: string) => void;
}

export function FolderPicker({ folder, open }: FolderPickerProps) {
  return (
    <nav className={classes.picker} aria-label={texts.folders}>
      <FolderPath folder={folder} topLabel={texts.top} open={open} />
      <Subfolders folder={folder} open={open} />
    </nav>
  );
}

function Subfolders({ folder, open }: FolderPickerProps) {
  const folders = useQuery(fileFolders(folder));
  if (folders.isPending || folders.isError) return <QueryBoundary query={folders} rows={3} />;
  const names = folders.data.folders;
  if (names.length === 0) return <Text c="dimmed">{texts.noFolders}</Text>;
  return (
    <ul className={classes.folders}>
      {names.map((name) => (
        <li key={name}>
          <Button
            variant="subtle"
            color="gray"
            c="var(--ink)"
            fullWidth
            justify="flex-start"
            leftSection={<IconFolder size={18} stroke={1.5} />}
            onClick={() => open(folder === '' ? name : `${folder}/${name}`)}
          >
            <UntrustedText>{name}</UntrustedText>
          </Button>
        </li>
      ))}
    </ul>
  );
}
