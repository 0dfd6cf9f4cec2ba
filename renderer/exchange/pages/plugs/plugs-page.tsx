import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { IconPlug, IconPlus } from '@tabler/icons-react';
import { useSearchParams } from 'react-router';
import { Awaited } from '../../../components/awaited.tsx';
import { Line, Lines } from '../../../components/lines.tsx';
import { Mark } from '../../../components/mark.tsx';
import { Section } from '../../../components/page-frame.tsx';
import { Empty } from '../../../components/states.tsx';
import { useAccount, useCan } from '../../api/account.ts';
import type { Plug } from '../../api/client.ts';
import { accounts, plugs } from '../../api/queries.ts';
import { Page } from '../../components/page.tsx';
import { Only } from '../../layout/inside.tsx';
import { x } from '../../messages/texts.ts';
import { PlugDrawer } from './plug-drawer.tsx';
import { RegisterPlug } from './register-plug.tsx';
import { STANDING, stateOf } from './state.ts';

const words = x.plugs;

export function PlugsPage() {
  return (
    <Only role="dataPlug">
      <Plugs />
    </Only>
  );
}

function Plugs() {
  const decides = useCan('administrator');
  const { userId, name } = useAccount();
  const [query, setQuery] = useSearchParams();
  const [form, shown] = useDisclosure();
  const found = useQuery(plugs);
  const owners = useQuery({ ...accounts, enabled: decides });
  const ownerOf = (plug: Plug): string =>
    owners.data?.find(({ userId }) => userId === plug.providerId)?.name ?? (plug.providerId === userId ? name : '');
  const own = found.data?.filter(({ providerId }) => decides || providerId === userId);
  const open = own?.find(({ uuid }) => uuid === query.get('open'));
  const groups = [
    { title: words.waiting, of: own?.filter(({ approved }) => !approved) ?? [] },
    { title: words.others, of: own?.filter(({ approved }) => approved) ?? [] },
  ];
  return (
    <Page
      title={words.pageTitle}
      lead={decides ? words.lead : words.leadOwn}
      actions={
        decides && (
          <Button leftSection={<IconPlus size={16} stroke={1.8} />} onClick={shown.open}>
            {words.register}
          </Button>
        )
      }
    >
      <Awaited found={found} rows={4} height={40} />
      {own?.length === 0 && (
        <Empty icon={IconPlug} title={words.none}>
          {words.noneText}
        </Empty>
      )}
      {groups.map(
        ({ title, of }) =>
          of.length > 0 && (
            <Section key={title} title={title}>
              <Lines label={title}>
                {of.map((plug) => (
                  <Line
                    key={plug.uuid}
                    to={`/plugs?open=${plug.uuid}`}
                    name={plug.name}
                    small={ownerOf(plug) === '' ? undefined : words.of(ownerOf(plug))}
                    below={plug.description}
                    middle={plug.url}
                    end={
                      <Mark standing={STANDING[stateOf(plug)]} short>
                        {words.states[stateOf(plug)]}
                      </Mark>
                    }
                  />
                ))}
              </Lines>
            </Section>
          ),
      )}
      <PlugDrawer plug={open} owner={open === undefined ? '' : ownerOf(open)} close={() => setQuery({})} />
      {form && <RegisterPlug close={shown.close} owners={owners.data ?? []} />}
    </Page>
  );
}
