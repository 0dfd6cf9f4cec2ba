import { Anchor, Button, Text } from '@mantine/core';
import { IconFolder } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ForeignText } from '../../../../shared/components/foreign-text.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { fileFolders } from '../../../api/files/queries.ts';
import { folderTarget } from '../../../api/files/target-shares.ts';
import { ShareTargetButtons } from '../sharing/share-target-buttons.tsx';
import classes from './folder-bar.module.css';

const words = m.files.folders;
/** Number of subfolders that are shown before the owner asks for all. */
const SHOWN_MAX = 12;

interface FolderBarProps {
  /** Path of the open folder; empty for all files. */
  folder: string;
  open: (folder: string) => void;
}

/** Path of the open folder, its subfolders, and buttons that share it. Empty if no file is in a folder. */
export function FolderBar({ folder, open }: FolderBarProps) {
  const names = useQuery(fileFolders(folder)).data?.folders ?? [];
  if (folder === '' && names.length === 0) return null;
  return (
    <nav className={classes.bar} aria-label={words.label}>
      {folder !== '' && <FolderPath folder={folder} open={open} />}
      {names.length > 0 && <Subfolders key={folder} folder={folder} names={names} open={open} />}
    </nav>
  );
}

function FolderPath({ folder, open }: FolderBarProps) {
  const parts = folder.split('/');
  return (
    <div className={classes.path}>
      <ol>
        <li>
          <Anchor component="button" type="button" size="sm" onClick={() => open('')}>
            {words.all}
          </Anchor>
        </li>
        {parts.map((name, index) => {
          const path = parts.slice(0, index + 1).join('/');
          return (
            <li key={path}>
              {path === folder ? (
                <Text component="span" size="sm" fw={600} aria-current="location">
                  <ForeignText>{name}</ForeignText>
                </Text>
              ) : (
                <Anchor component="button" type="button" size="sm" onClick={() => open(path)}>
                  <ForeignText>{name}</ForeignText>
                </Anchor>
              )}
            </li>
          );
        })}
      </ol>
      <div className={classes.share}>
        <ShareTargetButtons target={folderTarget(folder)} />
      </div>
    </div>
  );
}

function Subfolders({ folder, names, open }: FolderBarProps & { names: readonly string[] }) {
  const [showsAll, setShowsAll] = useState(false);
  const shownNames = showsAll ? names : names.slice(0, SHOWN_MAX);
  return (
    <ul className={classes.folders}>
      {shownNames.map((name) => (
        <li key={name}>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconFolder size={16} stroke={1.6} />}
            onClick={() => open(folder === '' ? name : `${folder}/${name}`)}
          >
            <ForeignText>{name}</ForeignText>
          </Button>
        </li>
      ))}
      {names.length > shownNames.length && (
        <li>
          <Button size="xs" variant="subtle" onClick={() => setShowsAll(true)}>
            {words.more(names.length - shownNames.length)}
          </Button>
        </li>
      )}
    </ul>
  );
}
