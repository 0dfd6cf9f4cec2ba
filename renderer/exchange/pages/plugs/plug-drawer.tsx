import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { Confirm } from '../../../components/confirm.tsx';
import { Facts } from '../../../components/consent/facts.tsx';
import { OutsideLink } from '../../../components/consent/outside-link.tsx';
import { tell } from '../../../components/notices.tsx';
import { SideDrawer } from '../../../components/side-drawer.tsx';
import { When } from '../../../components/when.tsx';
import { useAccount, useCan } from '../../api/account.ts';
import { type Plug, call } from '../../api/client.ts';
import { refresh } from '../../api/queries.ts';
import { StateMark } from '../../components/state-mark.tsx';
import { x } from '../../messages/en.ts';
import { applicationPath } from '../../navigation.ts';
import { PLUG_TONES, stateOf } from './state.ts';

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

type Step = 'approve' | 'withdraw' | 'connect';

function Details({ plug, owner }: { plug: Plug; owner: string }) {
  const decides = useCan('administrator');
  const { userId } = useAccount();
  const [asked, setAsked] = useState<Step>();
  const { uuid, name, approved, connected } = plug;
  const state = stateOf(plug);
  const after = async (does: Promise<unknown>, said: string) => {
    await does;
    tell(said);
    await refresh('plugs', 'applications');
  };
  const change = (approved: boolean, said: string) =>
    after(call('PUT /api/dataplugs/:id', { params: { id: uuid }, body: { approved } }), said);
  const steps: Record<Step, { label: string; title: string; text: string; run: () => Promise<void> }> = {
    approve: {
      label: words.approve,
      title: words.approveTitle(name),
      text: words.approveText,
      run: () => change(true, words.approved(name)),
    },
    withdraw: {
      label: words.withdraw,
      title: words.withdrawTitle(name),
      text: words.withdrawText,
      run: () => change(false, words.withdrawn(name)),
    },
    connect: {
      label: words.connect,
      title: words.connectTitle(name),
      text: words.connectText,
      run: () =>
        after(call('GET /api/dataplugs/:id/connect', { params: { id: uuid }, query: {} }), words.connected(name)),
    },
  };
  const possible: Step[] = [
    ...(decides ? [approved ? ('withdraw' as const) : ('approve' as const)] : []),
    ...(plug.providerId === userId && approved && !connected ? ['connect' as const] : []),
  ];
  const step = asked === undefined ? undefined : steps[asked];
  return (
    <Stack gap="lg">
      <div>
        <StateMark tone={PLUG_TONES[state]}>{words.states[state]}</StateMark>
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
        {possible.map((one) => (
          <Button key={one} variant={one === 'withdraw' ? 'default' : 'filled'} onClick={() => setAsked(one)}>
            {steps[one].label}
          </Button>
        ))}
      </Group>
      {asked !== undefined && step !== undefined && (
        <Confirm
          opened
          close={() => setAsked(undefined)}
          title={step.title}
          keep={asked === 'withdraw' ? words.keep : words.notYet}
          submit={step.label}
          begins={asked !== 'withdraw'}
          onConfirm={step.run}
        >
          {step.text}
        </Confirm>
      )}
    </Stack>
  );
}
