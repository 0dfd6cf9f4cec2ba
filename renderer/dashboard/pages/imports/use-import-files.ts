import { useNavigate } from 'react-router';
import { MAX_IMPORT_BYTES } from '../../../../server/wire/limits.ts';
import { startImportUpload } from '../../api/import-uploads.ts';
import { showToast, showProblemToast } from '../../../shared/feedback/toasts.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { importPath } from '../../navigation.ts';
import { toLocalFiles } from '../files/uploads/destination.ts';
import { useUpload } from '../files/uploads/use-upload.tsx';
import { groupChosenFiles } from './chosen-files.ts';

const texts = m.imports.choose;

export function useImportFiles(): (files: readonly File[]) => Promise<void> {
  const navigate = useNavigate();
  const { upload } = useUpload();
  return async (files) => {
    const importIds: string[] = [];
    const { imports, media } = groupChosenFiles(files);
    if (media.length > 0) {
      upload(toLocalFiles(media));
      showToast(texts.media(media.length));
    }
    for (const group of imports) {
      const [file] = group;
      if (file === undefined) continue;
      if (group.reduce((sum, { size }) => sum + size, 0) > MAX_IMPORT_BYTES) showToast(texts.tooLarge(file.name));
      else if (file.size === 0) showToast(texts.empty(file.name));
      else {
        try {
          importIds.push(await startImportUpload(group));
        } catch (error) {
          showProblemToast(texts.failed, error);
        }
      }
    }
    const [firstId] = importIds;
    if (firstId !== undefined) await navigate(importIds.length === 1 ? importPath(firstId) : '/data/imports');
    else if (media.length > 0) await navigate('/files/uploads');
  };
}
