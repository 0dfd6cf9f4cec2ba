import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from 'react-router';
import { fileByLedgerId } from '../../api/files/queries.ts';
import { isNotFound } from '../../../shared/api/problem.ts';
import { record } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath, filesPath } from '../../navigation.ts';

/** Opens the record with this id, or the file that has this id in the access history. */
export function RecordRedirect() {
  const { id = '' } = useParams();
  const recordQuery = useQuery(record(id));
  const isMissing = recordQuery.isError && isNotFound(recordQuery.error);
  const fileQuery = useQuery({ ...fileByLedgerId(id), enabled: isMissing });
  if (recordQuery.data !== undefined) {
    return <Navigate to={`${endpointPath(recordQuery.data.endpoint)}?record=${encodeURIComponent(id)}`} replace />;
  }
  if (fileQuery.data !== undefined && fileQuery.data !== null)
    return <Navigate to={filesPath({ file: fileQuery.data })} replace />;
  const isGone = isMissing && !fileQuery.isPending;
  return (
    <Page
      title={isGone ? m.data.record.notFound : m.data.record.title}
      windowTitle={m.data.record.title}
      lead={isGone ? m.data.record.notFoundText : undefined}
      crumbs={[{ label: m.data.pageTitle, to: '/data' }]}
    >
      {(recordQuery.isPending || (isMissing && fileQuery.isPending)) && <LoadingSkeleton />}
      {recordQuery.isError && !isMissing && (
        <LoadError error={recordQuery.error} retry={() => void recordQuery.refetch()} />
      )}
    </Page>
  );
}
