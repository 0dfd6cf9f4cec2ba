import { IconUpload } from '@tabler/icons-react';
import { Outlet } from 'react-router';
import { DropSheet } from '../../components/drop-sheet.tsx';
import { m } from '../../messages/texts.ts';
import { useDrop } from '../../components/use-drop.ts';
import { useUpload } from './use-upload.tsx';

/** Everything under Files takes dropped files and folders. */
export function FilesRoom() {
  const { source, uploadDropped } = useUpload();
  const over = useDrop(uploadDropped);
  return (
    <>
      {over && <DropSheet icon={IconUpload} title={m.files.drop} hint={m.files.dropInto(source)} />}
      <Outlet />
    </>
  );
}
