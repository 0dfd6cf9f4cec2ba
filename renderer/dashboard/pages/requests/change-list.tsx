import { Box, Text } from '@mantine/core';
import type { OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { type Difference, findDifferences } from '../../consent/differences.ts';
import { untilText } from '../../../shared/consent/timing-text.ts';
import { Section } from '../../components/page.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './change-list.module.css';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.requests.changes;

interface PermissionChangesProps {
  item: OwnerDebit;
  currentPermission: Permission;
  requestedPermission: Permission;
  now: Date;
}

export function PermissionChanges({ item, currentPermission, requestedPermission, now }: PermissionChangesProps) {
  const names = useDataNames();
  const differences = [
    ...requesterDifferences(item),
    ...findDifferences(currentPermission, requestedPermission, names),
  ];
  return (
    <Box mb="xl">
      <Section title={texts.title} text={texts.running(untilText(currentPermission, now))}>
        <ChangeList differences={differences} />
      </Section>
    </Box>
  );
}

export function ChangeList({
  differences,
  emptyText = texts.same,
}: {
  differences: readonly Difference[];
  emptyText?: string;
}) {
  if (differences.length === 0) return <Text>{emptyText}</Text>;
  return (
    <ul className={classes.list}>
      {differences.map(({ kind, text }) => (
        <li key={text} data-kind={kind}>
          <span className={classes.kind}>{texts.kinds[kind]}</span>
          <span>{/[.”“]$/.test(text) ? text : `${text}.`}</span>
        </li>
      ))}
    </ul>
  );
}

function requesterDifferences({ debit, pendingRequester }: OwnerDebit): Difference[] {
  const differences: Difference[] = [];
  if (pendingRequester === null) return differences;
  if (pendingRequester.requestClientName !== debit.requestClientName) {
    const text = m.requests.differences.name(debit.requestClientName, pendingRequester.requestClientName);
    differences.push({ kind: 'other', text });
  }
  if (pendingRequester.requestClientUrl !== debit.requestClientUrl) {
    differences.push({
      kind: 'other',
      text: m.requests.differences.site(debit.requestClientUrl, pendingRequester.requestClientUrl),
    });
  }
  return differences;
}
