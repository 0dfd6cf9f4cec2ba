import { IconDatabaseImport } from '@tabler/icons-react';
import { Outlet } from 'react-router';
import { DropSheet } from '../../components/drop-sheet.tsx';
import { m } from '../../messages/texts.ts';
import { useImportFiles } from '../imports/use-import-files.ts';
import { useDroppedFiles } from '../../components/use-drop.ts';

/** Everything under Data takes a dropped file. */
export function DataRoom() {
  const importFiles = useImportFiles();
  const over = useDroppedFiles((files) => void importFiles(files));
  return (
    <>
      {over && <DropSheet icon={IconDatabaseImport} title={m.data.drop} hint={m.data.dropHint} />}
      <Outlet />
    </>
  );
}
