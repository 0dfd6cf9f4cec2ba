import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { latestAccess } from '../../../api/sharing/access.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { historyPath } from '../../../navigation.ts';
import { AccessLogList } from '../../history/access-rows.tsx';
import parts from '../../../../shared/overlay/drawer-parts.module.css';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const texts = m.history.recordReaders;
const MAX_LISTED_ENTRIES = 5;

export function RecordAccessList({ recordId }: { recordId: string }) {
  const query = useQuery(latestAccess({ record: recordId }, MAX_LISTED_ENTRIES));
  if (query.data === undefined) return null;
  const { rows } = query.data;
  return (
    <section className={parts.sectionList}>
      <h3>{m.history.pageTitle}</h3>
      {rows.length === 0 ? (
        <Text c="dimmed">{texts.onlyYou}</Text>
      ) : (
        <>
          <AccessLogList rows={rows} to={({ id }) => historyPath({ record: recordId, row: String(id) })} />
          <TextLink to={historyPath({ record: recordId })}>{texts.all}</TextLink>
        </>
      )}
    </section>
  );
}
