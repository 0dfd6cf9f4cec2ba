import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { latest } from '../../api/access-queries.ts';
import { m } from '../../messages/texts.ts';
import { historyPath } from '../../navigation.ts';
import { LedgerLines } from '../history/ledger-lines.tsx';
import classes from './who-saw.module.css';

const words = m.history.seen;
const SHOWN = 5;

/** Who got at this record, newest first; all of them are in the access history. */
export function WhoSaw({ recordId }: { recordId: string }) {
  const found = useQuery(latest({ record: recordId }, SHOWN));
  if (found.data === undefined) return null;
  const { rows } = found.data;
  return (
    <section className={classes.seen}>
      <h3>{words.title}</h3>
      {rows.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.nobody}
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
