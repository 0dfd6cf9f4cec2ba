import { Button, Stack, Text } from '@mantine/core';
import { IconApps, IconDeviceDesktop, IconTerminal2, IconUser } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../../shared/api/client.ts';
import type { Session } from '../../../shared/api/contract.ts';
import { sessions } from '../../api/queries.ts';
import { showToast, runWithToast } from '../../../shared/feedback/toasts.tsx';
import { Page, Section } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { SecondFactor } from '../second-factor/second-factor.tsx';
import { ChangePassword } from './password-change.tsx';
import classes from './security-page.module.css';
import { parseUserAgent } from '../../../../server/wire/user-agent.ts';
import lists from '../../../shared/components/lists.module.css';

const words = m.settings.security;
const USER_AGENT_MAX_CHARS = 60;

export function SecurityPage() {
  return (
    <Page title={m.settings.sections.security}>
      <SecondFactor />
      <Sessions />
      <Section title={words.password}>
        <ChangePassword />
      </Section>
    </Page>
  );
}

/** `end` shows the number of ended sessions and refetches the remaining sessions. */
function useSessionEnd(send: () => Promise<{ ended: number }>): { busy: boolean; end: () => Promise<void> } {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const end = async () => {
    setBusy(true);
    await runWithToast(async () => {
      const { ended } = await send();
      showToast(words.ended(ended));
    });
    await client.invalidateQueries({ queryKey: sessions.queryKey });
    setBusy(false);
  };
  return { busy, end };
}

function Sessions() {
  const result = useQuery(sessions);
  const otherCount = (result.data ?? []).filter(({ current }) => !current).length;
  const { busy, end } = useSessionEnd(() => call('DELETE /api/v2.6/owner/sessions', { query: { except: 'current' } }));
  return (
    <Section
      title={words.sessions}
      aside={
        otherCount > 0 && (
          <Button variant="default" size="xs" c="var(--stop)" loading={busy} onClick={() => void end()}>
            {words.endOthers(otherCount)}
          </Button>
        )
      }
    >
      <Text c="dimmed" mb="md">
        {words.sessionsText}
      </Text>
      <QueryBoundary query={result} rows={3} height={40} />
      {result.data !== undefined && (
        <ul className={classes.sessions}>
          {result.data
            .toSorted((a, b) => Number(b.current) - Number(a.current) || b.lastSeen.localeCompare(a.lastSeen))
            .map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
        </ul>
      )}
    </Section>
  );
}

function sessionName(session: Session): string {
  if (session.kind === 'application') return words.application(session.application ?? '');
  if (session.kind === 'offer') return m.history.actors.offer(session.offer ?? '');
  if (session.kind === 'service') return words.service(session.application ?? session.issuer);
  const agent = parseUserAgent(session.userAgent);
  const device =
    agent === undefined
      ? session.userAgent.slice(0, USER_AGENT_MAX_CHARS) || words.program
      : words.browserOn(agent.browser, agent.system);
  return session.user === null ? device : words.person(session.user.name, device);
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.');
}

function SessionRow({ session }: { session: Session }) {
  const name = sessionName(session);
  const Icon =
    session.kind === 'user'
      ? IconUser
      : session.kind !== 'owner'
        ? IconApps
        : parseUserAgent(session.userAgent) === undefined
          ? IconTerminal2
          : IconDeviceDesktop;
  const { busy, end } = useSessionEnd(() =>
    call('DELETE /api/v2.6/owner/sessions/:sessionId', { params: { sessionId: session.id } }),
  );
  return (
    <li>
      <Icon size={20} stroke={1.5} aria-hidden="true" />
      <Stack gap={2}>
        <span className={classes.name}>
          {name}
          {session.current && <span className={classes.current}>{words.current}</span>}
        </span>
        <Text span c="dimmed" className={lists.facts ?? ''}>
          <span>
            {words.lastSeen} <RelativeTime at={session.lastSeen} />
          </span>
          <span>
            {words.created} <RelativeTime at={session.created} />
          </span>
          <span>
            {words.from} {isLoopback(session.address) ? words.thisComputer : session.address}
          </span>
          <span>
            {words.via} {session.issuer}
          </span>
          <span>
            {words.ends} <RelativeTime at={session.ends} />
          </span>
        </Text>
      </Stack>
      {!session.current && (
        <Button variant="default" size="xs" loading={busy} onClick={() => void end()} aria-label={words.endLabel(name)}>
          {words.end}
        </Button>
      )}
    </li>
  );
}
