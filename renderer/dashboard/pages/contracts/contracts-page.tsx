import { ForeignText } from '../../../shared/components/foreign-text.tsx';
import { Anchor, Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconContract } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { OwnerContract } from '../../../shared/api/contract.ts';
import { contracts } from '../../api/sharing/network.ts';
import { Logo } from '../../../shared/components/logo.tsx';
import { StatusBadge, type BadgeStatus } from '../../../shared/components/status-badge.tsx';
import { Page } from '../../components/page.tsx';
import { EmptyState, LoadError, LoadingSkeleton } from '../../../shared/feedback/states.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { applicationPath, historyPath } from '../../navigation.ts';
import classes from './contracts-page.module.css';
import { Leave } from './leave-dialog.tsx';

const words = m.contracts;

const STANDING: Record<OwnerContract['state'], BadgeStatus> = {
  joined: 'ok',
  joining: 'pending',
  leaving: 'pending',
  failed: 'error',
};
const ORDER: readonly OwnerContract['state'][] = ['failed', 'joining', 'joined', 'leaving'];

/** Which services may read or write here by a contract, and what did they do? */
export function ContractsPage() {
  const all = useQuery(contracts);
  const known = (all.data ?? []).toSorted(
    (a, b) => ORDER.indexOf(a.state) - ORDER.indexOf(b.state) || a.name.localeCompare(b.name),
  );
  return (
    <Page title={words.pageTitle} windowTitle={words.pageTitle} lead={known.length > 0 ? words.lead : undefined}>
      {all.isPending && <LoadingSkeleton rows={4} height={48} />}
      {all.isError && <LoadError error={all.error} retry={() => void all.refetch()} />}
      {all.data !== undefined && known.length === 0 && (
        <EmptyState
          icon={IconContract}
          title={words.empty.title}
          actions={
            <Button component={Link} to="/applications" variant="default">
              {words.empty.go}
            </Button>
          }
        >
          {words.empty.text}
        </EmptyState>
      )}
      {known.length > 0 && (
        <ul className={classes.list}>
          {known.map((contract) => (
            <Line key={contract.contractId} contract={contract} />
          ))}
        </ul>
      )}
    </Page>
  );
}

function Line({ contract }: { contract: OwnerContract }) {
  const { contractId, name, description, developer, state, application } = contract;
  const [asking, dialog] = useDisclosure(false);
  return (
    <li className={classes.line} data-past={state === 'leaving' || undefined}>
      <Logo url={undefined} name={name} size={40} />
      <div className={classes.words}>
        <h2 className={classes.name}>
          <ForeignText>{name}</ForeignText> {developer !== '' && <small>{words.by(developer)}</small>}
        </h2>
        {description !== '' && (
          <p className={classes.soft}>
            <ForeignText>{description}</ForeignText>
          </p>
        )}
        {state !== 'leaving' && <Rights contract={contract} />}
        <Problem contract={contract} />
        <p className={classes.facts}>
          {contract.joined !== null && (
            <span>
              {words.since} <RelativeTime at={contract.joined} />
            </span>
          )}
          <span>
            {contract.lastUsed === null ? (
              words.neverUsed
            ) : (
              <>
                {words.lastUsed} <RelativeTime at={contract.lastUsed} />,{' '}
                {words.counts(contract.reads, contract.writes)}
              </>
            )}
          </span>
          {contract.refused > 0 && <span>{words.refused(contract.refused)}</span>}
        </p>
        <p className={classes.ways}>
          <Anchor
            component={Link}
            to={historyPath({ contract: contractId })}
            size="sm"
            aria-label={words.historyLabel(name)}
          >
            {words.history}
          </Anchor>
          <Anchor
            component={Link}
            to={applicationPath(application)}
            size="sm"
            aria-label={words.applicationLabel(name)}
          >
            {words.application}
          </Anchor>
          <code>{contractId}</code>
        </p>
      </div>
      <div className={classes.state}>
        <StatusBadge status={STANDING[state]}>{words.states[state]}</StatusBadge>
        {state !== 'leaving' && (
          <Button
            variant="default"
            size="xs"
            c="var(--stop)"
            aria-label={words.leave.label(name)}
            onClick={dialog.open}
          >
            {words.leave.action}
          </Button>
        )}
      </div>
      <Leave contract={contract} opened={asking} close={dialog.close} />
    </li>
  );
}

/** What the owner agreed to, word for word of rights as anywhere else. */
function Rights({ contract: { namespaces } }: { contract: OwnerContract }) {
  const read = namespaces.filter((one) => one.read).map(({ namespace }) => namespace);
  const write = namespaces.filter((one) => one.write).map(({ namespace }) => namespace);
  return (
    <ul className={classes.rights}>
      {read.length > 0 && <li>{words.reads(read)}</li>}
      {write.length > 0 && <li>{words.writes(write)}</li>}
      {namespaces.length === 0 && <li>{words.nothing}</li>}
    </ul>
  );
}

function Problem({ contract: { state, problem } }: { contract: OwnerContract }) {
  if (state === 'joined') return null;
  return (
    <p className={classes.problem} data-fault={state === 'failed' || undefined}>
      {words.problems[state]} {problem !== null && words.problems.because(problem)}
    </p>
  );
}
