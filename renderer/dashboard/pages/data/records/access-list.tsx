import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { latestAccess } from '../../../api/sharing/access.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { historyPath } from '../../../navigation.ts';
import { LedgerLines } from '../../history/access-rows.tsx';
import classes from './access-list.module.css';

const words = m.history.seen;
const SHOWN = 5;

/** Who got at this record, newest first; all of them are in the access history. */
export function WhoSaw({ recordId }: { recordId: string }) {
  const found = useQuery(latestAccess({ record: recordId }, SHOWN));
  if (found.data === undefined) return null;
  const { rows } = found.data;
  return (
    <section className={classes.seen}>
      <h3>{words.title}</h3>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.onlyYou}
        </Text>
      ) : (
        <>
          <LedgerLines rows={rows} to={({ id }) => historyPath({ record: recordId, row: String(id) })} />
          <Anchor component={Link} to={historyPath({ record: recordId })} size="sm">
            {words.all}
          </Anchor>
        </>
      )}
    </section>
  );
}
