import { Anchor, Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Link } from 'react-router';
import { call } from '../../api/client.ts';
import type { Network } from '../../api/contract.ts';
import { network as networkQuery, refreshContracts } from '../../api/network.ts';
import { queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Facts } from '../../components/consent/facts.tsx';
import { tell } from '../../components/notices.tsx';
import { Section } from '../../components/page.tsx';
import { m } from '../../messages/texts.ts';
import { CONTRACTS } from '../../navigation.ts';
import { AddressForm } from './address-form.tsx';
import classes from './network-page.module.css';

const words = m.network.contracts;

type Service = NonNullable<Network['contracts']>;

async function set(url: string | null): Promise<void> {
  const now = await call('PUT /api/v2.6/owner/network', { body: { contracts: url } });
  queryClient.setQueryData(networkQuery.queryKey, now);
  await refreshContracts();
  tell(url === null ? words.removed : words.saved);
}

/** The contracts service: which one. */
export function ContractsService({ service }: { service: Service | null }) {
  return (
    <Section
      title={words.title}
      aside={
        <Anchor component={Link} to={CONTRACTS} size="sm">
          {words.joined}
        </Anchor>
      }
    >
      <Text size="sm" c="dimmed" className={classes.text ?? ''}>
        {words.text}
      </Text>
      {service === null ? (
        <AddressForm label={words.label} submit={words.use} save={set} quiet />
      ) : (
        <Chosen key={service.url} service={service} />
      )}
    </Section>
  );
}

function Chosen({ service: { url, fixed } }: { service: Service }) {
  const [changing, change] = useDisclosure(false);
  const [removing, dialog] = useDisclosure(false);
  const save = async (to: string) => {
    await set(to);
    change.close();
  };
  return (
    <>
      <div className={classes.facts}>
        <Facts facts={[{ term: m.network.address, value: fixed ? `${url}\n${m.network.fixed}` : url }]} />
      </div>
      {changing && (
        <AddressForm label={words.label} submit={m.network.save} before={url} save={save} cancel={change.close} />
      )}
      {!changing && !fixed && (
        <div className={classes.actions}>
          <Button variant="default" onClick={change.open}>
            {m.network.change}
          </Button>
          <Button variant="default" c="var(--stop)" onClick={dialog.open}>
            {words.remove.action}
          </Button>
        </div>
      )}
      <Confirm
        opened={removing}
        close={dialog.close}
        title={words.remove.title}
        keep={words.remove.keep}
        submit={words.remove.submit}
        onConfirm={() => set(null)}
      >
        {words.remove.text}
      </Confirm>
    </>
  );
}
