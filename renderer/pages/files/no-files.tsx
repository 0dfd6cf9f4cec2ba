import { IconFiles } from '@tabler/icons-react';
import type { FileSummary } from '../../api/contract.ts';
import { CopyIcon, Empty } from '../../components/states.tsx';
import { m } from '../../messages/texts.ts';
import classes from './no-files.module.css';

const words = m.files.empty;

/** The first thing that is seen: how files get here, and where they lie. */
export function NoFiles({ summary }: { summary: FileSummary | undefined }) {
  return (
    <div className={classes.drop}>
      <Empty icon={IconFiles} title={words.title}>
        {words.text}
      </Empty>
      {summary !== undefined && (
        <div className={classes.folder}>
          <p>{summary.watching ? words.folder : words.folderUnwatched}</p>
          <span className={classes.path}>
            <code>{summary.folder}</code>
            <CopyIcon value={summary.folder} label={words.copyFolder} />
          </span>
        </div>
      )}
    </div>
  );
}
