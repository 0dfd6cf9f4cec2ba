import { Anchor, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { applications } from '../../api/sharing/access.ts';
import { debits } from '../../api/sharing/debits.ts';
import { toSentenceCase } from '../../../shared/components/program-names.ts';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { whoSees } from '../sharing/readers.ts';
import classes from './access-summary.module.css';

const words = m.home.whoSees;
const SHOWN = 5;

/** Who can see what, said in full: the worst of it must not hide behind a number. */
export function WhoSees() {
  const shared = useQuery(debits).data;
  const known = useQuery(applications).data;
  if (shared === undefined || known === undefined) return null;
  const parties = whoSees(shared, known);
  const rest = parties.length - SHOWN;
  return (
    <Section
      title={words.title}
      aside={
        <Anchor component={Link} to="/sharing" size="sm">
          {words.all}
        </Anchor>
      }
    >
      {parties.length === 0 ? (
        <Text size="sm" c="dimmed">
          {words.onlyYou}
        </Text>
      ) : (
        <ul className={classes.parties}>
          {parties.slice(0, SHOWN).map(({ key, name, sees, to }) => (
            <li key={key}>
              <Link to={to} className={classes.line}>
                <span className={classes.name}>{name}</span>
                <span className={classes.what}>{toSentenceCase(sees.join('; '))}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {rest > 0 && (
        <Text size="sm" c="dimmed" mt="sm">
          {words.more(rest)}
        </Text>
      )}
    </Section>
  );
}
