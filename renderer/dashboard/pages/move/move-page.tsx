import { useQuery } from '@tanstack/react-query';
import { move } from '../../api/account/move.ts';
import { Page } from '../../components/page.tsx';
import { LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { Arrived } from './arrival-notes.tsx';
import { ExportPart } from './export-section.tsx';
import { ImportPart } from './import-section.tsx';

const words = m.move;

/** How do I take everything with me, and how does it come in elsewhere? */
export function MovePage() {
  const found = useQuery(move);
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {found.isError && <LoadError error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && <LoadingSkeleton rows={6} />}
      {found.data !== undefined && (
        <>
          {found.data.arrived !== null && <Arrived arrived={found.data.arrived} />}
          <ExportPart now={found.data} />
          <ImportPart now={found.data} />
        </>
      )}
    </Page>
  );
}
