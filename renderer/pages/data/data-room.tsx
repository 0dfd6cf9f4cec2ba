import { Portal, Text } from '@mantine/core';
import { IconDatabaseImport } from '@tabler/icons-react';
import { Outlet } from 'react-router';
import { m } from '../../messages/en.ts';
import { useImportFiles } from '../imports/use-import-files.ts';
import classes from './data-room.module.css';
import { useDroppedFiles } from './use-dropped-files.ts';

/** Everything under Data takes a dropped file. */
export function DataRoom() {
  const importFiles = useImportFiles();
  const over = useDroppedFiles((files) => void importFiles(files));
  return (
    <>
      {over && (
        <Portal>
          <div className={classes.drop}>
            <IconDatabaseImport size={40} stroke={1.25} aria-hidden="true" />
            <Text size="lg" fw={600}>
              {m.data.drop}
            </Text>
            <Text c="dimmed">{m.data.dropHint}</Text>
          </div>
        </Portal>
      )}
      <Outlet />
    </>
  );
}
