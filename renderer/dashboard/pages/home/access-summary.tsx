import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { applications } from '../../api/sharing/access.ts';
import { debits } from '../../api/sharing/debits.ts';
import { toSentenceCase } from '../../../shared/components/program-names.ts';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { collectReaders } from '../sharing/readers.ts';
import classes from './access-summary.module.css';

const words = m.home.sharing;
const MAX_LISTED_READERS = 5;

/** Summary of who can read which data. Names the access of each reader, because a number could hide broad access. */
export function AccessSummary() {
  const dataDebits = useQuery(debits).data;
  const catalogue = useQuery(applications).data;
  if (dataDebits === undefined || catalogue === undefined) return null;
  const readers = collectReaders(dataDebits, catalogue);
  const hiddenCount = readers.length - MAX_LISTED_READERS;
  return (
    <Section
      title={words.title}
      aside={
        <Anchor component={Link} to="/sharing" size="sm">
          {words.all}
        </Anchor>
      }
    >
      {readers.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.onlyYou}
        </Text>
      ) : (
        <ul className={classes.parties}>
          {readers.slice(0, MAX_LISTED_READERS).map(({ key, name, accessTexts, to }) => (
            <li key={key}>
              <Link to={to} className={classes.line}>
                <span className={classes.name}>{name}</span>
                <span className={classes.access}>{toSentenceCase(accessTexts.join('; '))}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {hiddenCount > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {words.more(hiddenCount)}
        </Text>
      )}
    </Section>
  );
}
