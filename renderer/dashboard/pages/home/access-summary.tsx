import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { fileSummary } from '../../api/files/queries.ts';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { toSentenceCase } from '../../../shared/components/display-names.ts';
import { LoadError } from '../../../shared/feedback/states.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { groupByRecipient } from '../sharing/readers/reader.ts';
import { useReaders } from '../sharing/readers/use-readers.ts';
import classes from './access-summary.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.home.sharing;
const MAX_LISTED_RECIPIENTS = 5;

/** Lists up to five recipients of data with their access in words, because a mere number could hide broad access. */
export function AccessSummary({ hasRecords }: { hasRecords: boolean }) {
  const [now] = useState(() => new Date());
  const { readers, isPending, error, retry } = useReaders(now);
  const files = useQuery(fileSummary).data?.files ?? 0;
  const recipients = groupByRecipient(readers);
  if (isPending && recipients.length === 0) return null;
  if (recipients.length === 0 && error === null && !hasRecords && files === 0) return null;
  const hiddenCount = recipients.length - MAX_LISTED_RECIPIENTS;
  return (
    <Section title={texts.title} aside={<TextLink to="/sharing">{texts.all}</TextLink>}>
      {error !== null && <LoadError title={m.sharing.incomplete} error={error} retry={retry} />}
      {recipients.length === 0 && error === null && <Text c="dimmed">{texts.onlyYou}</Text>}
      {recipients.length > 0 && (
        <ul className={classes.recipients}>
          {recipients.slice(0, MAX_LISTED_RECIPIENTS).map(({ key, name, accessTexts, to }) => (
            <li key={key}>
              <Link to={to} className={classes.row}>
                <span className={classes.name}>
                  <UntrustedText>{name}</UntrustedText>
                </span>
                <span className={classes.access}>{toSentenceCase(accessTexts.join('; '))}</span>
              </Link>
            </li>
          ))}
        </ul>
      )}
      {isPending && (
        <Text role="status" c="dimmed" mt="sm">
          {m.sharing.loadingMore}
        </Text>
      )}
      {!isPending && hiddenCount > 0 && (
        <Text c="dimmed" mt="sm">
          {m.shell.andMore(hiddenCount)}
        </Text>
      )}
    </Section>
  );
}
