import { Stack, Text } from '@mantine/core';
import { IconApps, IconDeviceDesktop, IconTerminal2, IconUser } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { call } from '../../../shared/api/client.ts';
import type { Session } from '../../../shared/api/contract.ts';
import { queryClient } from '../../../shared/api/query-client.ts';
import { sessions } from '../../api/queries.ts';
import { ActionButton } from '../../../shared/feedback/action-button.tsx';
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

const texts = m.settings.security;
const USER_AGENT_MAX_CHARS = 60;

export function SecurityPage() {
  return (
    <Page title={m.settings.sections.security}>
      <SecondFactor />
      <Sessions />
      <Section title={texts.password}>
        <ChangePassword />
      </Section>
    </Page>
  );
}

async function endSessions(send: () => Promise<{ ended: number }>): Promise<void> {
  await runWithToast(async () => {
    const { ended } = await send();
    showToast(texts.ended(ended));
  });
  await queryClient.invalidateQueries({ queryKey: sessions.queryKey });
}

const endOtherSessions = () =>
  endSessions(() => call('DELETE /api/v2.6/owner/sessions', { query: { except: 'current' } }));

function Sessions() {
  const result = useQuery(sessions);
  const otherCount = (result.data ?? []).filter(({ current }) => !current).length;
  return (
    <Section
      title={texts.sessions}
      aside={
        otherCount > 0 && (
          <ActionButton isDestructive action={endOtherSessions}>
            {texts.endOthers(otherCount)}
          </ActionButton>
        )
      }
    >
      <Text c="dimmed" mb="md">
        {texts.sessionsText}
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
  if (session.kind === 'application') return texts.application(session.application ?? '');
  if (session.kind === 'offer') return m.history.actors.offer(session.offer ?? '');
  if (session.kind === 'service') return texts.service(session.application ?? session.issuer);
  const agent = parseUserAgent(session.userAgent);
  const device =
    agent === undefined
      ? session.userAgent.slice(0, USER_AGENT_MAX_CHARS) || texts.program
      : texts.browserOn(agent.browser, agent.system);
  return session.user === null ? device : texts.person(session.user.name, device);
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
  const end = () =>
    endSessions(() => call('DELETE /api/v2.6/owner/sessions/:sessionId', { params: { sessionId: session.id } }));
  return (
    <li>
      <Icon size={20} stroke={1.5} aria-hidden="true" />
      <Stack gap={2}>
        <span className={classes.name}>
          {name}
          {session.current && <span className={classes.currentTag}>{texts.current}</span>}
        </span>
        <Text span c="dimmed" className={lists.inlineFacts ?? ''}>
          <span>
            {texts.lastSeen} <RelativeTime at={session.lastSeen} />
          </span>
          <span>
            {texts.created} <RelativeTime at={session.created} />
          </span>
          <span>
            {texts.from} {isLoopback(session.address) ? texts.thisComputer : session.address}
          </span>
          <span>
            {texts.via} {session.issuer}
          </span>
          <span>
            {texts.ends} <RelativeTime at={session.ends} />
          </span>
        </Text>
      </Stack>
      {!session.current && (
        <ActionButton label={texts.endLabel(name)} action={end}>
          {texts.end}
        </ActionButton>
      )}
    </li>
  );
}
