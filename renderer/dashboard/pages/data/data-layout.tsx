import { IconDatabaseImport } from '@tabler/icons-react';
import { Outlet } from 'react-router';
import { DropOverlay } from '../../../shared/overlay/drop-overlay.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { useImportFiles } from '../imports/use-import-files.ts';
import { useFileDrop } from '../../../shared/form/use-file-drop.ts';

export function DataLayout() {
  const importFiles = useImportFiles();
  const isDragging = useFileDrop((files) => void importFiles(files));
  return (
    <>
      {isDragging && <DropOverlay icon={IconDatabaseImport} title={m.data.drop} hint={m.data.dropHint} />}
      <Outlet />
    </>
  );
}
