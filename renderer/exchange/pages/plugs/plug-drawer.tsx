import { Group, Stack, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Facts } from '../../../components/consent/facts.tsx';
import { OutsideLink } from '../../../components/consent/outside-link.tsx';
import { Mark } from '../../../components/mark.tsx';
import { SideDrawer } from '../../../components/side-drawer.tsx';
import { When } from '../../../components/when.tsx';
import { useAccount, useCan } from '../../api/account.ts';
import { type Plug, call } from '../../api/client.ts';
import { type Step, Steps } from '../../components/steps.tsx';
import { x } from '../../messages/texts.ts';
import { applicationPath } from '../../navigation.ts';
import { STANDING, stateOf } from './state.ts';

const words = x.plugs;

interface PlugDrawerProps {
  /** None: it is closed. */
  plug: Plug | undefined;
  owner: string;
  close: () => void;
}

/** One Data Plug: where it runs, where it stands, and what comes next. */
export function PlugDrawer({ plug, owner, close }: PlugDrawerProps) {
  return (
    <SideDrawer opened={plug !== undefined} close={close} title={plug?.name ?? ''}>
      {plug !== undefined && <Details plug={plug} owner={owner} />}
    </SideDrawer>
  );
}

function Details({ plug, owner }: { plug: Plug; owner: string }) {
  const decides = useCan('administrator');
  const { userId } = useAccount();
  const { uuid, name, approved, connected } = plug;
  const state = stateOf(plug);
  const params = { id: uuid };
  const approve: Step = {
    label: words.approve,
    title: words.approveTitle(name),
    text: words.approveText,
    begins: true,
    does: () => call('PUT /api/dataplugs/:id', { params, body: { approved: true } }),
    said: words.approved(name),
  };
  const withdraw: Step = {
    label: words.withdraw,
    title: words.withdrawTitle(name),
    text: words.withdrawText,
    does: () => call('PUT /api/dataplugs/:id', { params, body: { approved: false } }),
    said: words.withdrawn(name),
  };
  const connect: Step = {
    label: words.connect,
    title: words.connectTitle(name),
    text: words.connectText,
    begins: true,
    does: () => call('GET /api/dataplugs/:id/connect', { params, query: {} }),
    said: words.connected(name),
  };
  const possible = [
    ...(decides ? [approved ? withdraw : approve] : []),
    ...(plug.providerId === userId && approved && !connected ? [connect] : []),
  ];
  return (
    <Stack gap="lg">
      <div>
        <Mark standing={STANDING[state]} short>
          {words.states[state]}
        </Mark>
        <Text size="sm" c="dimmed">
          {words.stateText[state]}
        </Text>
      </div>
      <Text size="sm" style={{ whiteSpace: 'pre-line' }}>
        {plug.description}
      </Text>
      <Facts
        facts={[
          owner !== '' && { term: words.term.owner, value: owner },
          { term: words.term.site, value: <OutsideLink url={plug.url}>{plug.url}</OutsideLink> },
          {
            term: words.term.picture,
            value: <OutsideLink url={plug.illustrationUrl}>{plug.illustrationUrl}</OutsideLink>,
          },
          decides && {
            term: words.term.application,
            value: <Link to={applicationPath(plug.applicationId)}>{plug.applicationId}</Link>,
          },
          { term: words.term.registered, value: <When at={plug.created} /> },
        ]}
      />
      <Group gap="sm">
        <Steps steps={possible} words={words} refreshes={['plugs', 'applications']} />
      </Group>
    </Stack>
  );
}
