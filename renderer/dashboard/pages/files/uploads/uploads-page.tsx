import { IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { unfinishedFiles } from '../../../api/files/queries.ts';
import { type UploadSummary, isOwnUpload, useUploads } from '../../../api/files/uploads.ts';
import { Page, Section } from '../../../components/page.tsx';
import { EmptyState, LoadError } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { AllUploads } from './upload-summary.tsx';
import { Unfinished } from './unfinished-uploads.tsx';
import { UploadButtons } from './upload-buttons.tsx';
import { UploadLines } from './upload-rows.tsx';
import { hasOpenUploads } from './upload-text.ts';
import classes from './uploads-page.module.css';

const words = m.files.uploading;
const TAKE = 50;

/** Every upload by itself, and those that an earlier visit left unfinished. */
export function UploadsPage() {
  const uploads = useUploads();
  const begun = useQuery(unfinishedFiles(TAKE));
  const left = (begun.data?.files ?? []).filter(({ file }) => !isOwnUpload(file.fileId));
  const nothing = uploads.files === 0 && left.length === 0;
  return (
    <Page
      title={words.title}
      windowTitle={words.title}
      lead={hasOpenUploads(uploads) ? words.lead : undefined}
      crumbs={[{ label: m.files.pageTitle, to: '/files' }]}
      actions={<UploadButtons />}
    >
      {begun.isError && <LoadError error={begun.error} retry={() => void begun.refetch()} />}
      {nothing && !begun.isPending && !begun.isError && (
        <EmptyState icon={IconUpload} title={words.emptyTitle}>
          {words.emptyText}
        </EmptyState>
      )}
      {uploads.files > 0 && <Own uploads={uploads} />}
      {left.length > 0 && <Unfinished files={left} more={Math.max(0, (begun.data?.total ?? 0) - TAKE)} />}
    </Page>
  );
}

function Own({ uploads }: { uploads: UploadSummary }) {
  const { active, failed, next, waiting, recent, done } = uploads;
  return (
    <>
      <AllUploads uploads={uploads} />
      {failed.length > 0 && (
        <Section title={words.problems}>
          <UploadLines uploads={failed} />
        </Section>
      )}
      {active.length > 0 && (
        <Section title={words.now}>
          <UploadLines uploads={active} />
        </Section>
      )}
      {waiting > 0 && (
        <Section title={words.next}>
          <UploadLines uploads={next} />
          {waiting > next.length && <p className={classes.more}>{words.nextMore(waiting - next.length)}</p>}
        </Section>
      )}
      {done > 0 && (
        <Section title={words.done}>
          <UploadLines uploads={recent} />
          {done > recent.length && <p className={classes.more}>{words.doneMore(done - recent.length)}</p>}
        </Section>
      )}
    </>
  );
}
