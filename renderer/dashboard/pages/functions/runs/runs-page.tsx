import { IconHistory } from '@tabler/icons-react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { functionRuns as runsQuery } from '../../../api/functions/queries.ts';
import { ListEnd } from '../../../../shared/components/list-end.tsx';
import { Page } from '../../../components/page.tsx';
import { QueryBoundary } from '../../../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../../../shared/feedback/states.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { FunctionLoader, functionCrumbs } from '../function-loader.tsx';
import { RunDrawer } from './run-drawer.tsx';
import { RunsTable } from './runs-table.tsx';
import { nameOf } from '../function-text.ts';

const texts = m.functions.runs;

export function RunsPage() {
  return <FunctionLoader>{(ownerFunction) => <Runs ownerFunction={ownerFunction} />}</FunctionLoader>;
}

function Runs({ ownerFunction }: { ownerFunction: OwnerFunction }) {
  const { id } = ownerFunction;
  const name = nameOf(ownerFunction);
  const runsQueryResult = useInfiniteQuery(runsQuery(id));
  const [urlQuery, setUrlQuery] = useSearchParams();
  const openRunId = urlQuery.get('run');
  // A run that starts between two page requests shifts earlier runs, so a run can be on two pages.
  const runs = [
    ...new Map((runsQueryResult.data?.pages ?? []).flatMap(({ runs }) => runs).map((run) => [run.runId, run])).values(),
  ];
  const index = runs.findIndex(({ runId }) => runId === openRunId);
  const setOpenRun = (runId: string | undefined, replace: boolean) =>
    setUrlQuery(runId === undefined ? {} : { run: runId }, { replace, preventScrollReset: true });
  return (
    <Page
      title={texts.title(name)}
      windowTitle={texts.windowTitle(name)}
      crumbs={[...functionCrumbs, { label: name, to: functionPath(id) }]}
    >
      <QueryBoundary query={runsQueryResult} rows={8} height={24} />
      {runsQueryResult.data !== undefined && runs.length === 0 && (
        <EmptyState icon={IconHistory} title={texts.empty}>
          {texts.emptyText}
        </EmptyState>
      )}
      {runs.length > 0 && (
        <>
          <RunsTable runs={runs} />
          <ListEnd
            texts={texts}
            hasMore={runsQueryResult.hasNextPage}
            endText={texts.end}
            isLoading={runsQueryResult.isFetchingNextPage}
            hasFailed={runsQueryResult.isError}
            loadMore={() => void runsQueryResult.fetchNextPage()}
          />
        </>
      )}
      <RunDrawer
        functionId={id}
        runId={openRunId ?? undefined}
        previous={index > 0 ? runs[index - 1] : undefined}
        next={index === -1 ? undefined : runs[index + 1]}
        open={(runId) => setOpenRun(runId, true)}
        close={() => setOpenRun(undefined, false)}
      />
    </Page>
  );
}
