import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from 'react-router';
import { fileByLedgerId } from '../../api/files/queries.ts';
import { isNotFound, toProblem } from '../../../shared/api/problem.ts';
import { record } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
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
  // The search for files refuses an id that is not a UUID.
  const isImpossibleId = fileQuery.isError && toProblem(fileQuery.error).code === 'invalid_input';
  const isGone = isMissing && (fileQuery.data === null || isImpossibleId);
  return (
    <Page
      title={isGone ? m.data.record.notFound : m.data.record.title}
      windowTitle={m.data.record.title}
      lead={isGone ? m.data.record.notFoundText : undefined}
      crumbs={[{ label: m.data.pageTitle, to: '/data' }]}
    >
      {!isGone && <QueryBoundary query={isMissing ? fileQuery : recordQuery} />}
    </Page>
  );
}
