import { Group } from '@mantine/core';
import type { Field, TimelineRecord } from '../../../shared/api/contract.ts';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { m } from '../../../shared/messages/texts.ts';
import { recordPath } from '../../navigation.ts';
import { Entry } from './entry.tsx';
import classes from './entry.module.css';
import { recordSummary } from './record-summary.ts';
import { TextLink } from '../../../shared/components/text-link.tsx';

/** Length of the date at the beginning of a local time. */
const DAY_CHARS = '2026-03-01'.length;
const TIME_OF_DAY = /^\d\d:\d\d$/u;

interface RecordLineProps {
  record: TimelineRecord;
  /** Empty while loading. */
  fields: readonly Field[];
}

export function RecordLine({ record, fields }: RecordLineProps) {
  const { recordId, time, data, entry } = record;
  const timeSuffix = time.slice(DAY_CHARS + 1);
  const timeOfDay = TIME_OF_DAY.test(timeSuffix) ? timeSuffix : '';
  if (entry !== null) return <Entry recordId={recordId} item={entry} time={timeOfDay} />;
  const { title, details } = recordSummary(data, fields);
  const [firstDetail, ...otherDetails] = title === '' ? details : [title, ...details];
  return (
    <li className={classes.entry}>
      <span className={classes.time}>{timeOfDay}</span>
      <div className={classes.content}>
        <TextLink to={recordPath(recordId)} data-list-item>
          <UntrustedText>{firstDetail ?? m.charts.map.untitled}</UntrustedText>
        </TextLink>
        {otherDetails.length > 0 && (
          <Group gap="0.125rem 1rem" mt="xs" fz="xs" c="dimmed">
            {otherDetails.map((detail) => (
              <span key={detail}>
                <UntrustedText>{detail}</UntrustedText>
              </span>
            ))}
          </Group>
        )}
      </div>
    </li>
  );
}
