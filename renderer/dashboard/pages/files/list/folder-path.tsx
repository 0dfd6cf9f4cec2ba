import { Anchor, Text } from '@mantine/core';
import { UntrustedText } from '../../../../shared/components/untrusted-text.tsx';
import classes from './folder-path.module.css';

interface FolderPathProps {
  /** Path of the open folder; empty for the top folder. */
  folder: string;
  topLabel: string;
  open: (folder: string) => void;
}

export function FolderPath({ folder, topLabel, open }: FolderPathProps) {
  const names = folder === '' ? [] : folder.split('/');
  return (
    <ol className={classes.path}>
      {[topLabel, ...names].map((name, index) => {
        const path = names.slice(0, index).join('/');
        const label = index === 0 ? name : <UntrustedText>{name}</UntrustedText>;
        return (
          <li key={path}>
            {path === folder ? (
              <Text component="span" fw={600} aria-current="location">
                {label}
              </Text>
            ) : (
              <Anchor component="button" type="button" onClick={() => open(path)}>
                {label}
              </Anchor>
            )}
          </li>
        );
      })}
    </ol>
  );
}
