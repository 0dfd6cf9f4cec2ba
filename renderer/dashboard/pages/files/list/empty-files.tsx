import { IconFiles } from '@tabler/icons-react';
import type { FileSummary } from '../../../../shared/api/contract.ts';
import { CopyIconButton, EmptyState } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import classes from './empty-files.module.css';

const words = m.files.empty;

export function EmptyFiles({ summary }: { summary: FileSummary | undefined }) {
  return (
    <div className={classes.dropZone}>
      <EmptyState icon={IconFiles} title={words.title}>
        {words.text}
      </EmptyState>
      {summary !== undefined && (
        <div className={classes.folder}>
          <p>{summary.watching ? words.folder : words.folderUnwatched}</p>
          <span className={classes.path}>
            <code>{summary.folder}</code>
            <CopyIconButton value={summary.folder} label={words.copyFolder} />
          </span>
        </div>
      )}
    </div>
  );
}
