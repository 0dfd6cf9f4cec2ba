import { Text } from '@mantine/core';
import type { OwnerApplication } from '../../../shared/api/contract.ts';
import { FactList } from '../../../shared/components/fact-list.tsx';
import { EraseLink } from '../../components/erase-link.tsx';
import { Section } from '../../components/page.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { sharingPath } from '../../navigation.ts';
import lists from '../../../shared/components/lists.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const words = m.applications.facts;

export function ApplicationDetails({ application }: { application: OwnerApplication }) {
  const { item, approved, debitKey, sessions, lastSeen, addresses } = application;
  const { id, kind, info, dependencies } = item.application;
  const dependencyIds = [
    ...(dependencies?.plugs ?? []),
    ...(dependencies?.tools ?? []),
    ...(dependencies?.contracts ?? []),
  ];
  return (
    <Section title={words.title}>
      <FactList
        facts={[
          item.enabled && { term: words.status, value: <Status application={application} /> },
          item.setup && {
            term: words.sessions,
            value: sessions === 0 ? words.noSessions : words.sessionsText(sessions),
          },
          item.setup && {
            term: m.applications.lastSeen,
            value: lastSeen === null ? m.applications.never : <RelativeTime at={lastSeen} />,
          },
          item.mostRecentData !== undefined && { term: words.newest, value: <RelativeTime at={item.mostRecentData} /> },
          { term: words.returns, value: <Addresses addresses={addresses} /> },
          { term: words.published, value: info.version },
          approved !== null && { term: words.approved, value: approved.version },
          debitKey !== null && {
            term: words.debit,
            value: <TextLink to={sharingPath(debitKey)}>{debitKey}</TextLink>,
          },
          dependencyIds.length > 0 && { term: words.needs, value: dependencyIds.join(', ') },
          { term: words.kind, value: m.applications.kinds[kind.kind] ?? kind.kind },
          {
            term: words.id,
            value: (
              <Text component="code" fz="xs">
                {id}
              </Text>
            ),
          },
        ]}
      />
      {item.setup && <EraseLink kind="application" target={id} />}
    </Section>
  );
}

function Addresses({ addresses }: { addresses: readonly string[] }) {
  if (addresses.length === 0) return words.returnsNone;
  return (
    <ul className={lists.plain}>
      {addresses.map((address) => (
        <li key={address}>
          <Text component="code" fz="xs">
            {address}
          </Text>
        </li>
      ))}
    </ul>
  );
}

function Status({ application: { item, status } }: { application: OwnerApplication }) {
  if (item.application.status.kind === 'Internal') return words.statusInternal;
  if (status === null) return words.statusNone;
  return (
    <>
      {status.ok ? words.statusOk : status.problem} (<RelativeTime at={status.checked} />)
    </>
  );
}
