import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from 'react-router';
import { fileByLedgerId } from '../../api/files/queries.ts';
import { isNotFound } from '../../../shared/api/problem.ts';
import { record } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { endpointPath, filesPath } from '../../navigation.ts';

/** A link that knows only the id of a record, or that of a file in the access history: leads to it among the others. */
export function RecordLink() {
  const { id = '' } = useParams();
  const found = useQuery(record(id));
  const none = found.isError && isNotFound(found.error);
  const file = useQuery({ ...fileByLedgerId(id), enabled: none });
  if (found.data !== undefined) {
    return <Navigate to={`${endpointPath(found.data.endpoint)}?record=${encodeURIComponent(id)}`} replace />;
  }
  if (file.data !== undefined && file.data !== null) return <Navigate to={filesPath({ file: file.data })} replace />;
  const gone = none && !file.isPending;
  return (
    <Page
      title={gone ? m.data.record.gone : m.data.record.title}
      windowTitle={m.data.record.title}
      lead={gone ? m.data.record.goneText : undefined}
      crumbs={[{ label: m.data.pageTitle, to: '/data' }]}
    >
      {(found.isPending || (none && file.isPending)) && <LoadingSkeleton />}
      {found.isError && !none && <LoadError error={found.error} retry={() => void found.refetch()} />}
    </Page>
  );
}
