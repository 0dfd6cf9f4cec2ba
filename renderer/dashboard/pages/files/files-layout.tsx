import { IconUpload } from '@tabler/icons-react';
import { Outlet } from 'react-router';
import { DropOverlay } from '../../../shared/overlay/drop-overlay.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { useDropTarget } from '../../../shared/form/use-file-drop.ts';
import { useUpload } from './uploads/use-upload.tsx';

/** Everything under Files takes dropped files and folders. */
export function FilesRoom() {
  const { source, uploadDropped } = useUpload();
  const over = useDropTarget(uploadDropped);
  return (
    <>
      {over && <DropOverlay icon={IconUpload} title={m.files.drop} hint={m.files.dropInto(source)} />}
      <Outlet />
    </>
  );
}
