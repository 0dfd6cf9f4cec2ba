import { Button, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { call } from '../../../../shared/api/client.ts';
import type { Network } from '../../../../shared/api/contract.ts';
import { network as networkQuery, refreshContracts } from '../../../api/sharing/network.ts';
import { queryClient } from '../../../../shared/api/query-client.ts';
import { ConfirmDialog } from '../../../../shared/overlay/confirm.tsx';
import { FactList } from '../../../../shared/components/fact-list.tsx';
import { showToast } from '../../../../shared/feedback/toasts.tsx';
import { Section } from '../../../components/page.tsx';
import { m } from '../../../../shared/messages/texts.ts';
import { CONTRACTS_PATH } from '../../../navigation.ts';
import { AddressForm } from './address-form.tsx';
import classes from './network-page.module.css';
import { TextLink } from '../../../../shared/components/text-link.tsx';

const texts = m.network.contracts;

type Service = NonNullable<Network['contracts']>;

async function saveService(url: string | null): Promise<void> {
  const updatedNetwork = await call('PUT /api/v2.6/owner/network', { body: { contracts: url } });
  queryClient.setQueryData(networkQuery.queryKey, updatedNetwork);
  await refreshContracts();
  showToast(url === null ? texts.removed : texts.saved);
}

export function ContractsSection({ service }: { service: Service | null }) {
  return (
    <Section title={texts.title} aside={<TextLink to={CONTRACTS_PATH}>{texts.joined}</TextLink>}>
      <Text c="dimmed" maw="44rem">
        {texts.text}
      </Text>
      {service === null ? (
        <AddressForm label={texts.label} submitLabel={texts.use} save={saveService} quiet />
      ) : (
        <SelectedService key={service.url} service={service} />
      )}
    </Section>
  );
}

function SelectedService({ service: { url, fixed } }: { service: Service }) {
  const [isChanging, form] = useDisclosure(false);
  const [isRemoveOpen, removeDialog] = useDisclosure(false);
  const save = async (newUrl: string) => {
    await saveService(newUrl);
    form.close();
  };
  return (
    <>
      <div className={classes.facts}>
        <FactList facts={[{ term: m.network.address, value: fixed ? `${url}\n${m.network.fixed}` : url }]} />
      </div>
      {isChanging && (
        <AddressForm
          label={texts.label}
          submitLabel={m.network.save}
          initialAddress={url}
          save={save}
          cancel={form.close}
        />
      )}
      {!isChanging && !fixed && (
        <div className={classes.actions}>
          <Button variant="default" onClick={form.open}>
            {m.shell.change}
          </Button>
          <Button variant="default" c="var(--stop)" onClick={removeDialog.open}>
            {m.shell.remove}
          </Button>
        </div>
      )}
      <ConfirmDialog
        opened={isRemoveOpen}
        close={removeDialog.close}
        title={texts.remove.title}
        cancelLabel={m.shell.keep}
        confirmLabel={texts.remove.submit}
        onConfirm={() => saveService(null)}
      >
        {texts.remove.text}
      </ConfirmDialog>
    </>
  );
}
