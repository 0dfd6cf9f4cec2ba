import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Button, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconContract } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { OwnerContract } from '../../../shared/api/contract.ts';
import { contracts } from '../../api/sharing/network.ts';
import { Logo } from '../../../shared/components/logo.tsx';
import { StatusBadge, type BadgeStatus } from '../../../shared/components/status-badge.tsx';
import { Page } from '../../components/page.tsx';
import { QueryBoundary } from '../../../shared/feedback/query-boundary.tsx';
import { EmptyState } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { compare } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath, historyPath } from '../../navigation.ts';
import { useDataNames } from '../../consent/use-data-names.ts';
import classes from './contracts-page.module.css';
import { LeaveDialog } from './leave-dialog.tsx';
import lists from '../../../shared/components/lists.module.css';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.contracts;

const BADGE_STATUS: Record<OwnerContract['state'], BadgeStatus> = {
  joined: 'ok',
  joining: 'pending',
  leaving: 'pending',
  failed: 'error',
};
const STATE_ORDER: readonly OwnerContract['state'][] = ['failed', 'joining', 'joined', 'leaving'];

export function ContractsPage() {
  const query = useQuery(contracts);
  const sortedContracts = (query.data ?? []).toSorted(
    (a, b) => STATE_ORDER.indexOf(a.state) - STATE_ORDER.indexOf(b.state) || compare(a.name, b.name),
  );
  return (
    <Page title={texts.pageTitle} lead={sortedContracts.length > 0 ? texts.lead : undefined}>
      <QueryBoundary query={query} rows={4} height={48} />
      {query.data !== undefined && sortedContracts.length === 0 && (
        <EmptyState
          icon={IconContract}
          title={texts.empty.title}
          actions={
            <Button component={Link} to="/applications" variant="default">
              {texts.empty.go}
            </Button>
          }
        >
          {texts.empty.text}
        </EmptyState>
      )}
      {sortedContracts.length > 0 && (
        <ul className={lists.rows}>
          {sortedContracts.map((contract) => (
            <ContractRow key={contract.contractId} contract={contract} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function ContractRow({ contract }: { contract: OwnerContract }) {
  const { contractId, name, description, developer, state, application } = contract;
  const [isConfirming, dialog] = useDisclosure(false);
  return (
    <li className={classes.row} data-past={state === 'leaving' || undefined}>
      <Logo url={undefined} name={name} size={40} />
      <div className={classes.content}>
        <h2 className={classes.name}>
          <UntrustedText>{name}</UntrustedText> {developer !== '' && <small>{m.applications.by(developer)}</small>}
        </h2>
        {description !== '' && (
          <Text c="dimmed">
            <UntrustedText>{description}</UntrustedText>
          </Text>
        )}
        {state !== 'leaving' && <Rights contract={contract} />}
        <Problem contract={contract} />
        <Text c="dimmed" className={lists.inlineFacts ?? ''}>
          {contract.joined !== null && (
            <span>
              {texts.since} <RelativeTime at={contract.joined} />
            </span>
          )}
          <span>
            {contract.lastUsed === null ? (
              texts.neverUsed
            ) : (
              <>
                {texts.lastUsed} <RelativeTime at={contract.lastUsed} />,{' '}
                {texts.counts(contract.reads, contract.writes)}
              </>
            )}
          </span>
          {contract.refused > 0 && <span>{texts.refused(contract.refused)}</span>}
        </Text>
        <Group align="baseline" gap="0.125rem 1.25rem">
          <TextLink to={historyPath({ contract: contractId })} aria-label={texts.historyLabel(name)}>
            {texts.history}
          </TextLink>
          <TextLink to={applicationPath(application)} aria-label={texts.applicationLabel(name)} data-list-item>
            {texts.application}
          </TextLink>
          <Text component="code" c="dimmed" fz="xs">
            {contractId}
          </Text>
        </Group>
      </div>
      <div className={classes.statusAndActions}>
        <StatusBadge status={BADGE_STATUS[state]}>{texts.states[state]}</StatusBadge>
        {state !== 'leaving' && (
          <Button
            variant="default"
            size="xs"
            c="var(--stop)"
            aria-label={m.contracts.leave.title(name)}
            onClick={dialog.open}
          >
            {texts.leave.action}
          </Button>
        )}
      </div>
      <LeaveDialog contract={contract} opened={isConfirming} close={dialog.close} />
    </li>
  );
}

function Rights({ contract: { namespaces } }: { contract: OwnerContract }) {
  const names = useDataNames();
  const readNamespaces = namespaces.filter((right) => right.read).map(({ namespace }) => names.namespace(namespace));
  const writeNamespaces = namespaces.filter((right) => right.write).map(({ namespace }) => names.namespace(namespace));
  return (
    <ul className={lists.plainList}>
      {readNamespaces.length > 0 && <li>{texts.reads(readNamespaces)}</li>}
      {writeNamespaces.length > 0 && <li>{texts.writes(writeNamespaces)}</li>}
      {namespaces.length === 0 && <li>{texts.nothing}</li>}
    </ul>
  );
}

function Problem({ contract: { state, problem } }: { contract: OwnerContract }) {
  if (state === 'joined') return null;
  return (
    <Text c={state === 'failed' ? 'var(--stop)' : 'dimmed'}>
      {texts.problems[state]} {problem !== null && texts.problems.because(problem)}
    </Text>
  );
}
