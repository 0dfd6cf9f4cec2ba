import { useQuery } from '@tanstack/react-query';
import { move } from '../../api/account/move.ts';
import { Page } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ArrivalNotes } from './arrival-notes.tsx';
import { ExportSection } from './export-section.tsx';
import { ImportSection } from './import-section.tsx';

const words = m.move;

export function MovePage() {
  const result = useQuery(move);
  return (
    <Page title={words.pageTitle} lead={words.lead}>
      {result.isError && <LoadError error={result.error} retry={() => void result.refetch()} />}
      {result.isPending && <LoadingSkeleton rows={6} />}
      {result.data !== undefined && (
        <>
          {result.data.arrived !== null && <ArrivalNotes arrived={result.data.arrived} />}
          <ExportSection moveState={result.data} />
          <ImportSection moveState={result.data} />
        </>
      )}
    </Page>
  );
}
