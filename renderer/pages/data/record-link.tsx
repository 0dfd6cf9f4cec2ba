import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from 'react-router';
import { asProblem } from '../../api/problem.ts';
import { record } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { Failed, Loading } from '../../components/states.tsx';
import { m } from '../../messages/en.ts';
import { endpointPath } from '../../navigation.ts';

/** A link that knows only the record's id: leads to it among the others of its endpoint. */
export function RecordLink() {
  const { id = '' } = useParams();
  const found = useQuery(record(id));
  if (found.data !== undefined) {
    return <Navigate to={`${endpointPath(found.data.endpoint)}?record=${encodeURIComponent(id)}`} replace />;
  }
  const gone = found.isError && asProblem(found.error).status === 404;
  return (
    <Page
      title={gone ? m.data.record.gone : m.data.record.title}
      windowTitle={m.data.record.title}
      lead={gone ? m.data.record.goneText : undefined}
      crumbs={[{ label: m.data.pageTitle, to: '/data' }]}
    >
      {found.isPending && <Loading />}
      {found.isError && !gone && <Failed error={found.error} retry={() => void found.refetch()} />}
    </Page>
  );
}
