import { Text } from '@mantine/core';
import { IconClockHour4 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { isolateText } from '../../../../server/wire/isolation.ts';
import { weeklySummary } from '../../api/sharing/access.ts';
import type { WeeklySummary } from '../../../shared/api/contract.ts';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Section } from '../../components/page.tsx';
import { dayNear } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { historyPath, LINKS_PATH, PEOPLE_PATH, sharingPath } from '../../navigation.ts';
import { AccessLogList } from '../history/access-rows.tsx';
import { fileSource } from '../history/entry-text.ts';
import { readerName } from '../history/reader-text.ts';
import { readerFilter } from '../history/reader-filter.ts';
import { useEntryNames } from '../history/use-names.ts';
import classes from './week-summary.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.home.week;

/** Summary of the last complete week. Renders nothing if there is nothing to report. */
export function WeekSummary() {
  const summary = useQuery(weeklySummary).data;
  if (summary === undefined) return null;
  const { from, to, readers, news, ending, moreEnding } = summary;
  if (readers.length === 0 && news.length === 0 && ending.length === 0) return null;
  return (
    <Section title={texts.title} aside={<TextLink to={historyPath({ from, to })}>{m.home.outgoing.all}</TextLink>}>
      <Text c="dimmed" mb="sm">
        {readers.length === 0 ? texts.onlyYou(from, to) : texts.period(from, to)}
      </Text>
      <Readers summary={summary} />
      {news.length > 0 && (
        <>
          <h3 className={classes.heading}>{texts.news}</h3>
          <AccessLogList rows={news} />
        </>
      )}
      {ending.length > 0 && (
        <>
          <h3 className={classes.heading}>{texts.ending}</h3>
          <ul className={classes.rows}>
            {ending.map((item) => (
              <li key={`${item.kind} ${item.id}`}>
                <Link to={endingPath(item)} className={classes.endingRow} data-list-item>
                  <IconClockHour4 size={18} stroke={1.5} aria-hidden="true" />
                  <span>{endingText(item)}</span>
                  <time dateTime={item.end} className={classes.time}>
                    {dayNear(item.end)}
                  </time>
                </Link>
              </li>
            ))}
          </ul>
          {moreEnding > 0 && (
            <Text c="dimmed" mt="sm">
              {m.shell.andMore(moreEnding)}
            </Text>
          )}
        </>
      )}
    </Section>
  );
}

type Ending = WeeklySummary['ending'][number];

function endingPath({ kind, id }: Ending): string {
  if (kind === 'debit') return sharingPath(id);
  return kind === 'link' ? LINKS_PATH : PEOPLE_PATH;
}

function endingText({ kind, person = '', ...ending }: Ending): string {
  const name = isolateText(ending.name);
  switch (kind) {
    case 'debit':
      return texts.consentEnds(name);
    case 'link':
      return texts.linkEnds(name);
    case 'table':
    case 'chart':
      return texts.viewEnds(m.history.viewName[kind](name), isolateText(person));
    case 'invitation':
      return texts.invitationEnds(name);
  }
}

function Readers({ summary: { from, to, readers, moreReaders, isPartial } }: { summary: WeeklySummary }) {
  const names = useEntryNames();
  if (readers.length === 0) return null;
  return (
    <>
      <ul className={classes.rows}>
        {readers.map(({ who, requests, refused, records, endpoints }) => (
          <li key={`${who.kind} ${who.name}`}>
            <Link to={historyPath({ ...readerFilter(who), from, to })} className={classes.readerRow} data-list-item>
              <b>
                <UntrustedText>{readerName(who, names)}</UntrustedText>
              </b>
              <span>
                {requests === refused ? texts.allRefused(refused) : readText(records, endpoints, names.endpointName)}
                {refused > 0 && requests !== refused && (
                  <span className={classes.refusedCount}>, {texts.refused(refused)}</span>
                )}
              </span>
            </Link>
          </li>
        ))}
      </ul>
      {(moreReaders > 0 || isPartial) && (
        <Text c="dimmed" mt="sm">
          {isPartial ? texts.partial : texts.more(moreReaders)}
        </Text>
      )}
    </>
  );
}

function readText(records: number, endpoints: readonly string[], endpointName: (endpoint: string) => string): string {
  const sources = endpoints.flatMap((endpoint) => fileSource(endpoint) ?? []);
  const endpointNames = endpoints.filter((endpoint) => fileSource(endpoint) === undefined).map(endpointName);
  if (endpointNames.length === 0 && sources.length > 0) return texts.openedFiles(m.history.and(sources, 0));
  return texts.read(records, m.history.and([...endpointNames, ...sources.map(texts.files)], 0));
}
