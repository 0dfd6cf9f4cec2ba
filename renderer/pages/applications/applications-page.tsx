import { CloseButton, Text, TextInput } from '@mantine/core';
import { IconApps, IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useSearchParams } from 'react-router';
import { applications, ledgerDays } from '../../api/access-queries.ts';
import type { LedgerDay, OwnerApplication } from '../../api/contract.ts';
import { Sparkline } from '../../components/day-strip.tsx';
import { Logo } from '../../components/consent/logo.tsx';
import { lastDays, ofApplication } from '../../components/days.ts';
import { Page, Section } from '../../components/page.tsx';
import { Empty, Failed, Loading } from '../../components/states.tsx';
import { When } from '../../components/when.tsx';
import { m } from '../../messages/en.ts';
import { applicationPath } from '../../navigation.ts';
import classes from './applications-page.module.css';
import { rightsInShort } from './rights.ts';
import { StateMark } from './state-mark.tsx';
import { type Group, grouped, stateOf } from './state.ts';

const words = m.applications;
const FIND_FROM = 8;
export const DAYS = 30;

/** What could I connect, what is connected, what may each do? */
export function ApplicationsPage() {
  const all = useQuery(applications);
  const days = useQuery(ledgerDays(DAYS));
  const [query, setQuery] = useSearchParams();
  const find = query.get('find') ?? '';
  const setFind = (text: string) => setQuery(text === '' ? {} : { find: text }, { replace: true });
  const known = all.data ?? [];
  const groups = grouped(known, find);
  const connected = known.filter(({ item }) => item.enabled).length;

  return (
    <Page
      title={words.pageTitle}
      windowTitle={words.pageTitle}
      lead={known.length > 0 ? words.summary(connected, known.length) : undefined}
    >
      {all.isPending && <Loading rows={6} height={40} />}
      {all.isError && <Failed error={all.error} retry={() => void all.refetch()} />}
      {all.data !== undefined && known.length === 0 && (
        <Empty icon={IconApps} title={words.empty.title}>
          {words.empty.text}
        </Empty>
      )}
      {(known.length >= FIND_FROM || find !== '') && (
        <TextInput
          className={classes.find ?? ''}
          aria-label={words.find}
          placeholder={words.find}
          leftSection={<IconSearch size={16} stroke={1.6} />}
          rightSection={
            find !== '' && <CloseButton size="sm" aria-label={words.clearFind} onClick={() => setFind('')} />
          }
          value={find}
          onChange={(event) => setFind(event.currentTarget.value)}
        />
      )}
      {known.length > 0 && groups.size === 0 && (
        <Text size="sm" c="dimmed">
          {words.findNone(find)}
        </Text>
      )}
      {[...groups].map(([group, some]) => (
        <Section key={group} title={words.groups[group]}>
          <ul className={classes.list}>
            {some.map((one) => (
              <Line key={one.item.application.id} application={one} group={group} days={days.data ?? []} />
            ))}
          </ul>
        </Section>
      ))}
    </Page>
  );
}

interface LineProps {
  application: OwnerApplication;
  group: Group;
  days: readonly LedgerDay[];
}

function Line({ application, group, days }: LineProps) {
  const { item, asks, asksData, approved, lastSeen } = application;
  const { id, info, kind } = item.application;
  return (
    <li>
      <Link to={applicationPath(id)} className={classes.line}>
        <Logo url={info.graphics.logo.normal} name={info.name} />
        <span className={classes.words}>
          <span className={classes.name}>
            {info.name} <small>{words.kinds[kind.kind] ?? kind.kind}</small>
          </span>
          <span className={classes.headline}>{info.headline}</span>
        </span>
        <span className={classes.rights}>
          {approved === null ? rightsInShort(asks, asksData) : rightsInShort(approved.rights, approved.data)}
        </span>
        <span className={classes.strip}>
          {group === 'connected' && <Sparkline days={lastDays(days, DAYS, ofApplication(id))} />}
        </span>
        <span className={classes.state}>
          <StateMark state={stateOf(application)} />
          {group === 'connected' && (
            <small>
              {lastSeen === null ? (
                words.neverSeen
              ) : (
                <>
                  {words.lastSeen} <When at={lastSeen} />
                </>
              )}
            </small>
          )}
        </span>
      </Link>
    </li>
  );
}
