import { IconFiles } from '@tabler/icons-react';
import type { FileSummary } from '../../../../shared/api/contract.ts';
import { CopyIconButton, EmptyState } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './empty-files.module.css';

const texts = m.files.empty;

export function EmptyFiles({ summary }: { summary: FileSummary | undefined }) {
  return (
    <div className={classes.dropZone}>
      <EmptyState icon={IconFiles} title={texts.title}>
        {texts.text}
      </EmptyState>
      {summary !== undefined && (
        <div className={classes.folder}>
          <p>{summary.watching ? texts.folder : texts.folderUnwatched}</p>
          <span className={classes.path}>
            <code>{summary.folder}</code>
            <CopyIconButton value={summary.folder} label={texts.copyFolder} />
          </span>
        </div>
      )}
    </div>
  );
}
