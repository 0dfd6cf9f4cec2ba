import { useNavigate } from 'react-router';
import { MAX_IMPORT_BYTES } from '../../../server/wire/limits.ts';
import { startUpload } from '../../api/uploads.ts';
import { tell, tellProblem } from '../../components/notices.tsx';
import { m } from '../../messages/en.ts';
import { importPath } from '../../navigation.ts';

const words = m.imports.choose;

/** Begins the upload of each file, then goes to where it can be watched. */
export function useImportFiles(): (files: readonly File[]) => Promise<void> {
  const navigate = useNavigate();
  return async (files) => {
    const begun: string[] = [];
    for (const file of files) {
      if (file.size > MAX_IMPORT_BYTES) tell(words.tooLarge(file.name));
      else if (file.size === 0) tell(words.empty(file.name));
      else {
        try {
          begun.push(await startUpload(file));
        } catch (error) {
          tellProblem(words.failed, error);
        }
      }
    }
    const [first] = begun;
    if (first !== undefined) await navigate(begun.length === 1 ? importPath(first) : '/data/imports');
  };
}
