import { IconUpload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { unfinishedFiles } from '../../../api/files/queries.ts';
import { type UploadSummary, isUploadOfThisTab, useUploads } from '../../../api/files/uploads.ts';
import { Page, Section } from '../../../components/page.tsx';
import { EmptyState, LoadError } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { UploadOverview } from './upload-overview.tsx';
import { UnfinishedUploads } from './unfinished-uploads.tsx';
import { UploadButtons } from './upload-buttons.tsx';
import { UploadRows } from './upload-rows.tsx';
import { hasOpenUploads } from './upload-text.ts';
import classes from './uploads-page.module.css';

const texts = m.files.uploading;
const MAX_LISTED_UNFINISHED_UPLOADS = 50;

export function UploadsPage() {
  const uploads = useUploads();
  const query = useQuery(unfinishedFiles(MAX_LISTED_UNFINISHED_UPLOADS));
  const unfinishedUploads = (query.data?.files ?? []).filter(({ file }) => !isUploadOfThisTab(file.fileId));
  const isEmpty = uploads.fileCount === 0 && unfinishedUploads.length === 0;
  return (
    <Page
      title={texts.title}
      lead={hasOpenUploads(uploads) ? texts.lead : undefined}
      crumbs={[{ label: m.files.pageTitle, to: '/files' }]}
      actions={<UploadButtons />}
    >
      {query.isError && <LoadError error={query.error} retry={() => void query.refetch()} />}
      {isEmpty && !query.isPending && !query.isError && (
        <EmptyState icon={IconUpload} title={texts.emptyTitle}>
          {texts.emptyText}
        </EmptyState>
      )}
      {uploads.fileCount > 0 && <TabUploads uploads={uploads} />}
      {unfinishedUploads.length > 0 && (
        <UnfinishedUploads
          files={unfinishedUploads}
          hiddenCount={Math.max(0, (query.data?.total ?? 0) - MAX_LISTED_UNFINISHED_UPLOADS)}
        />
      )}
    </Page>
  );
}

function TabUploads({ uploads }: { uploads: UploadSummary }) {
  const { active, failed, next, waitingCount, recent, doneCount } = uploads;
  return (
    <>
      <UploadOverview uploads={uploads} />
      {failed.length > 0 && (
        <Section title={texts.problems}>
          <UploadRows uploads={failed} />
        </Section>
      )}
      {active.length > 0 && (
        <Section title={texts.now}>
          <UploadRows uploads={active} />
        </Section>
      )}
      {waitingCount > 0 && (
        <Section title={texts.next}>
          <UploadRows uploads={next} />
          {waitingCount > next.length && (
            <p className={classes.hiddenCount}>{m.shell.andMore(waitingCount - next.length)}</p>
          )}
        </Section>
      )}
      {doneCount > 0 && (
        <Section title={texts.done}>
          <UploadRows uploads={recent} />
          {doneCount > recent.length && (
            <p className={classes.hiddenCount}>{texts.doneMore(doneCount - recent.length)}</p>
          )}
        </Section>
      )}
    </>
  );
}
