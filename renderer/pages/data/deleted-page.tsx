import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { Deletion } from '../../api/contract.ts';
import { deletions } from '../../api/queries.ts';
import { DeletedLine } from '../../components/deleted-line.tsx';
import { undoDeletion } from '../../components/deleting.tsx';
import { Page } from '../../components/page.tsx';
import { Empty, Failed, Loading } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/texts.ts';
import classes from '../../components/deleted-lines.module.css';

const words = m.data.deletion.list;

/** What was deleted lately, and can be brought back. */
export function DeletedPage() {
  const gone = useQuery(deletions);
  return (
    <Page
      title={words.title}
      windowTitle={words.title}
      lead={words.text}
      crumbs={[{ label: m.data.pageTitle, to: '/data' }]}
    >
      {gone.isPending && <Loading />}
      {gone.isError && <Failed error={gone.error} retry={() => void gone.refetch()} />}
      {gone.data !== undefined && gone.data.length === 0 && (
        <Empty icon={IconTrash} title={words.emptyTitle}>
          {words.emptyText}
        </Empty>
      )}
      {gone.data !== undefined && gone.data.length > 0 && (
        <ul className={classes.list}>
          {gone.data.map((deletion) => (
            <Line key={deletion.deletionId} deletion={deletion} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function Line({ deletion }: { deletion: Deletion }) {
  const { endpoint, records } = deletion;
  return (
    <DeletedLine
      title={endpoint === null ? words.some(records) : words.wholeEndpoint(endpoint, records)}
      words={words}
      undo={() => undoDeletion(deletion)}
    >
      <span>
        {words.deleted} <When at={deletion.deleted} /> · {words.until} <When at={deletion.until} />
      </span>
    </DeletedLine>
  );
}
