import { useQuery } from '@tanstack/react-query';
import { move } from '../../api/account/move.ts';
import { Page } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ArrivalNotes } from './arrival-notes.tsx';
import { ExportSection } from './export-section.tsx';
import { ImportSection } from './import-section.tsx';

const texts = m.move;

export function MovePage() {
  const result = useQuery(move);
  return (
    <Page title={texts.pageTitle} lead={texts.lead}>
      <QueryBoundary query={result} rows={6} />
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
