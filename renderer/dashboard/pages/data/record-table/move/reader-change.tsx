import { useQuery } from '@tanstack/react-query';
import { isolateText } from '../../../../../../server/wire/isolation.ts';
import { Callout } from '../../../../../shared/components/callout.tsx';
import { LoadError, LoadingSkeleton } from '../../../../../shared/feedback/states.tsx';
import { m } from '../../../../../shared/messages/texts.ts';
import { functions } from '../../../../api/functions/queries.ts';
import { sharedViews } from '../../../../api/shared-views.ts';
import { applications } from '../../../../api/sharing/access.ts';
import { debitsQuery } from '../../../../api/sharing/debits.ts';
import { contracts } from '../../../../api/sharing/network.ts';
import { changedReaders, listRecordReaders } from './record-readers.ts';

const texts = m.recordTable.moves;

/** Names the readers that a move adds and removes. Renders nothing if the readers stay the same. */
export function ReaderChange({ from, to, records }: { from: string; to: string; records: readonly string[] }) {
  const queries = {
    debits: useQuery(debitsQuery),
    applications: useQuery(applications),
    contracts: useQuery(contracts),
    views: useQuery(sharedViews),
    functions: useQuery(functions),
  };
  const failedQuery = Object.values(queries).find(({ error }) => error !== null);
  if (failedQuery !== undefined)
    return <LoadError error={failedQuery.error} retry={() => void failedQuery.refetch()} />;
  if (Object.values(queries).some(({ isPending }) => isPending)) return <LoadingSkeleton rows={1} />;
  const readers = listRecordReaders({
    debits: queries.debits.data ?? [],
    applications: queries.applications.data ?? [],
    contracts: queries.contracts.data ?? [],
    views: queries.views.data ?? [],
    functions: queries.functions.data ?? [],
    records,
  });
  const { gained, lost } = changedReaders(readers, { from, to });
  if (gained.length + lost.length === 0) return null;
  return (
    <Callout tone="attention" urgent>
      {gained.length > 0 && <div>{texts.gained(gained.map(isolateText))}</div>}
      {lost.length > 0 && <div>{texts.lost(lost.map(isolateText))}</div>}
    </Callout>
  );
}
