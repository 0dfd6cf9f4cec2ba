import { Anchor, Button, Text } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { ForeignText } from '../../../../shared/components/foreign-text.tsx';
import { LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { fileFolders } from '../../../api/files/queries.ts';
import classes from './bulk.module.css';

const words = m.bulkFiles.move;

interface FolderPickerProps {
  /** Path of the chosen folder; empty for the top folder. */
  folder: string;
  open: (folder: string) => void;
}

/** Chooses a folder: shows its path and its subfolders, which open with a click. */
export function FolderPicker({ folder, open }: FolderPickerProps) {
  const parts = folder === '' ? [] : folder.split('/');
  return (
    <nav className={classes.picker} aria-label={words.folders}>
      <ol>
        <li>
          <PathPart isCurrent={folder === ''} open={() => open('')}>
            {words.top}
          </PathPart>
        </li>
        {parts.map((name, index) => {
          const path = parts.slice(0, index + 1).join('/');
          return (
            <li key={path}>
              <PathPart isCurrent={path === folder} open={() => open(path)}>
                <ForeignText>{name}</ForeignText>
              </PathPart>
            </li>
          );
        })}
      </ol>
      <Subfolders folder={folder} open={open} />
    </nav>
  );
}

function PathPart(props: { isCurrent: boolean; open: () => void; children: React.ReactNode }) {
  return props.isCurrent ? (
    <Text component="span" size="sm" fw={600} aria-current="location">
      {props.children}
    </Text>
  ) : (
    <Anchor component="button" type="button" size="sm" onClick={props.open}>
      {props.children}
    </Anchor>
  );
}

function Subfolders({ folder, open }: FolderPickerProps) {
  const folders = useQuery(fileFolders(folder));
  if (folders.isPending) return <LoadingSkeleton rows={3} />;
  if (folders.isError) return <LoadError error={folders.error} retry={() => void folders.refetch()} />;
  const names = folders.data.folders;
  if (names.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {words.noFolders}
      </Text>
    );
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
            <ForeignText>{name}</ForeignText>
          </Button>
        </li>
      ))}
    </ul>
  );
}
