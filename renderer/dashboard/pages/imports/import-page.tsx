import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { useNavigate, useParams } from 'react-router';
import { call } from '../../../shared/api/client.ts';
import type { ImportJob } from '../../../shared/api/contract.ts';
import { importJob, imports, refreshData } from '../../api/queries.ts';
import { discardImportUpload } from '../../api/import-uploads.ts';
import { runWithToast } from '../../../shared/feedback/toasts.tsx';
import { Page } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { bytes } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { ImportResult } from './import-result.tsx';
import { PreviewStage } from './preview-stage.tsx';
import { ImportProgress } from './import-progress.tsx';
import { UploadProgress } from './upload-progress.tsx';

/** Shows an import in its current state, so the owner can leave and return at any time. */
export function ImportPage() {
  const { id = '' } = useParams();
  const job = useQuery(importJob(id));
  const client = useQueryClient();
  const navigate = useNavigate();

  // Refetches the data and the list of imports once the import has ended.
  const state = job.data?.state;
  const previousState = useRef(state);
  useEffect(() => {
    if (previousState.current === 'running' && state !== 'running') {
      void refreshData();
      void client.invalidateQueries({ queryKey: imports.queryKey });
    }
    previousState.current = state;
  }, [state, client]);

  const update = (next: ImportJob) => {
    client.setQueryData(importJob(id).queryKey, next);
    void client.invalidateQueries({ queryKey: imports.queryKey });
  };
  const discard = async () => {
    await runWithToast(async () => {
      await call('DELETE /api/v2.6/owner/imports/:importId', { params: { importId: id } });
      discardImportUpload(id);
      await navigate('/data/imports', { replace: true });
      client.removeQueries({ queryKey: importJob(id).queryKey });
      await client.invalidateQueries({ queryKey: imports.queryKey });
    });
  };

  const name = job.data?.fileName ?? m.imports.pageTitle;
  return (
    <Page
      title={name}
      lead={job.data === undefined ? undefined : bytes(job.data.size)}
      crumbs={[
        { label: m.data.pageTitle, to: '/data' },
        { label: m.imports.listTitle, to: '/data/imports' },
      ]}
    >
      <QueryBoundary query={job} />
      {job.data !== undefined && <ImportStage key={id} job={job.data} update={update} discard={() => void discard()} />}
    </Page>
  );
}

function ImportStage({
  job,
  update,
  discard,
}: {
  job: ImportJob;
  update: (job: ImportJob) => void;
  discard: () => void;
}) {
  switch (job.state) {
    case 'receiving':
      return <UploadProgress job={job} discard={discard} />;
    case 'ready':
      return <PreviewStage job={job} update={update} discard={discard} />;
    case 'running':
      return <ImportProgress job={job} update={update} />;
    case 'done':
    case 'failed':
    case 'cancelled':
    case 'undone':
      return <ImportResult job={job} update={update} discard={discard} />;
  }
}
