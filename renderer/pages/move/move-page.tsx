import { useQuery } from '@tanstack/react-query';
import { move } from '../../api/move.ts';
import { Page } from '../../components/page.tsx';
import { Failed, Loading } from '../../components/states.tsx';
import { m } from '../../messages/texts.ts';
import { Arrived } from './arrived.tsx';
import { ExportPart } from './export-part.tsx';
import { ImportPart } from './import-part.tsx';

const words = m.move;

/** How do I take everything with me, and how does it come in elsewhere? */
export function MovePage() {
  const found = useQuery(move);
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={words.lead}>
      {found.isError && <Failed error={found.error} retry={() => void found.refetch()} />}
      {found.isPending && <Loading rows={6} />}
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
