import { IconUpload } from '@tabler/icons-react';
import { Outlet } from 'react-router';
import { DropOverlay } from '../../../shared/overlay/drop-overlay.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { useDropTarget } from '../../../shared/form/use-file-drop.ts';
import { useUpload } from './uploads/use-upload.tsx';

export function FilesLayout() {
  const { source, uploadDropped } = useUpload();
  const isDragging = useDropTarget(uploadDropped);
  return (
    <>
      {isDragging && <DropOverlay icon={IconUpload} title={m.files.drop} hint={m.files.dropInto(source)} />}
      <Outlet />
    </>
  );
}
