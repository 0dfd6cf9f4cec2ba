import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useParams, useSearchParams } from 'react-router';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { functionById, functionRuns as runsQuery } from '../../../api/functions/queries.ts';
import { ListEnd } from '../../../../shared/components/list-end.tsx';
import { Page } from '../../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { MissingFunction, functionCrumbs } from '../missing-function.tsx';
import { RunDrawer } from './run-drawer.tsx';
import { RunsTable } from './runs-table.tsx';
import { nameOf } from '../function-text.ts';

const words = m.functions.runs;

/** Every run of a function that is kept, newest first. */
export function RunsPage() {
  const { id = '' } = useParams();
  const found = useQuery(functionById(id));
  if (found.data === undefined) return <MissingFunction error={found.error} retry={() => void found.refetch()} />;
  return <Runs one={found.data} />;
}

function Runs({ one }: { one: OwnerFunction }) {
  const { id } = one;
  const name = nameOf(one);
  const found = useInfiniteQuery(runsQuery(id));
  const [query, setQuery] = useSearchParams();
  const open = query.get('run');
  // A run that begins while one reads moves the others on: the same can come twice.
  const all = [
    ...new Map((found.data?.pages ?? []).flatMap(({ runs }) => runs).map((run) => [run.runId, run])).values(),
  ];
  const at = all.findIndex(({ runId }) => runId === open);
  const show = (runId: string | undefined, replace: boolean) =>
    setQuery(runId === undefined ? {} : { run: runId }, { replace, preventScrollReset: true });
  return (
    <Page
      title={words.title(name)}
      windowTitle={words.windowTitle(name)}
      crumbs={[...functionCrumbs, { label: name, to: functionPath(id) }]}
    >
      {found.isPending && <LoadingSkeleton rows={8} height={24} />}
      {found.isError && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.data !== undefined && all.length === 0 && (
        <EmptyState icon={IconHistory} title={words.empty}>
          {words.emptyText}
        </EmptyState>
      )}
      {all.length > 0 && (
        <>
          <RunsTable runs={all} />
          <ListEnd
            words={words}
            hasMore={found.hasNextPage}
            end={words.end}
            isLoading={found.isFetchingNextPage}
            loadMore={() => {
              if (!found.isFetchingNextPage) void found.fetchNextPage();
            }}
          />
        </>
      )}
      <RunDrawer
        functionId={id}
        runId={open ?? undefined}
        before={at > 0 ? all[at - 1] : undefined}
        after={at === -1 ? undefined : all[at + 1]}
        open={(runId) => show(runId, true)}
        close={() => show(undefined, false)}
      />
    </Page>
  );
}
