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

const texts = m.applications.facts;

export function ApplicationDetails({ application }: { application: OwnerApplication }) {
  const { item, approved, debitKey, sessions, lastSeen, addresses } = application;
  const { id, kind, info, dependencies } = item.application;
  const dependencyIds = [
    ...(dependencies?.plugs ?? []),
    ...(dependencies?.tools ?? []),
    ...(dependencies?.contracts ?? []),
  ];
  return (
    <Section title={texts.title}>
      <FactList
        facts={[
          item.enabled && { term: texts.status, value: <Status application={application} /> },
          item.setup && {
            term: texts.sessions,
            value: sessions === 0 ? texts.noSessions : texts.sessionsText(sessions),
          },
          item.setup && {
            term: m.applications.lastSeen,
            value: lastSeen === null ? m.applications.never : <RelativeTime at={lastSeen} />,
          },
          item.mostRecentData !== undefined && { term: texts.newest, value: <RelativeTime at={item.mostRecentData} /> },
          { term: texts.returns, value: <Addresses addresses={addresses} /> },
          { term: texts.published, value: info.version },
          approved !== null && { term: texts.approved, value: approved.version },
          debitKey !== null && {
            term: texts.debit,
            value: <TextLink to={sharingPath(debitKey)}>{debitKey}</TextLink>,
          },
          dependencyIds.length > 0 && { term: texts.needs, value: dependencyIds.join(', ') },
          { term: texts.kind, value: m.applications.kinds[kind.kind] ?? kind.kind },
          {
            term: texts.id,
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
  if (addresses.length === 0) return texts.returnsNone;
  return (
    <ul className={lists.plainList}>
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
  if (item.application.status.kind === 'Internal') return texts.statusInternal;
  if (status === null) return texts.statusNone;
  return (
    <>
      {status.ok ? texts.statusOk : status.problem} (<RelativeTime at={status.checked} />)
    </>
  );
}
