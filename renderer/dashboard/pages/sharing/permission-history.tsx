import { Box, Text } from '@mantine/core';
import type { OwnerDebit, Permission } from '../../../shared/api/contract.ts';
import { findBundleDifferences, findDifferences } from '../../consent/differences.ts';
import { bundleText } from '../../../shared/consent/bundle-text.ts';
import { Section } from '../../components/page.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { ChangeList } from '../requests/change-list.tsx';
import { permissionEndText } from './status-text.ts';
import classes from './permission-history.module.css';
import { useDataNames } from '../../consent/use-data-names.ts';

const texts = m.sharing.past;

export function PermissionHistory({ item, now }: { item: OwnerDebit; now: Date }) {
  const { permissions } = item.debit;
  return (
    <Section title={texts.title}>
      <ol className={classes.permissions}>
        {permissions.map((permission, index) => (
          <PermissionItem
            key={permission.permissionId}
            permission={permission}
            previous={permissions.slice(index + 1).find(({ accepted }) => accepted)}
            now={now}
          />
        ))}
      </ol>
    </Section>
  );
}

function PermissionItem({
  permission,
  previous,
  now,
}: {
  permission: Permission;
  previous: Permission | undefined;
  now: Date;
}) {
  const names = useDataNames();
  const isCurrent = permission.state === 'running' || permission.state === 'scheduled';
  const exclusions =
    permission.asked === undefined
      ? []
      : findBundleDifferences(permission.bundle.bundle, permission.asked.bundle, names);
  return (
    <li>
      <p className={classes.header}>
        <b>{texts.states[permission.state]}</b>
        <span>{bundleText(permission.bundle.bundle, names)}</span>
      </p>
      <p className={classes.times}>
        <span>
          {texts.requested} <RelativeTime at={permission.dateCreated} />
        </span>
        {permission.grantedAt !== undefined && (
          <span>
            {m.sharing.page.since} <RelativeTime at={permission.grantedAt} />
          </span>
        )}
        {permission.canceledAt !== undefined && !isCurrent && (
          <span>
            {texts.stopped}{' '}
            <RelativeTime at={(permission.state === 'disabled' ? permission.end : null) ?? permission.canceledAt} />
          </span>
        )}
        {permission.state === 'ended' && permission.end !== null && (
          <span>
            {texts.ended} <RelativeTime at={permission.end} />
          </span>
        )}
      </p>
      {isCurrent && <Text c="dimmed">{permissionEndText(permission, now)}</Text>}
      {exclusions.length > 0 && (
        <Box mt="0.75rem" pl="md">
          <Text>{texts.less}</Text>
          <ul className={classes.exclusions}>
            {exclusions.map(({ text }) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </Box>
      )}
      {previous !== undefined && (
        <Box mt="0.75rem" pl="md">
          <Text>{texts.compared}</Text>
          <ChangeList differences={findDifferences(previous, permission, names)} emptyText={texts.same} />
        </Box>
      )}
    </li>
  );
}
