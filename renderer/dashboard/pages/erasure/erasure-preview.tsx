import { Stack, Text } from '@mantine/core';
import type { BackupEntry, ErasurePreview, ErasureReceiver } from '../../api/account/erasure.ts';
import { Section } from '../../components/page.tsx';
import { RelativeTime } from '../../../shared/components/relative-time.tsx';
import { m } from '../../../shared/messages/texts.ts';
import classes from './erasure.module.css';

const texts = m.erasure;
const MAX_SHOWN_ENDPOINTS = 8;

type Counts = ErasurePreview['what'];

export function countTexts(counts: Counts): string[] {
  const kinds = Object.keys(texts.counts) as (keyof typeof texts.counts)[];
  return kinds.flatMap((kind) => (counts[kind] === 0 ? [] : [texts.counts[kind](counts[kind])]));
}

export function ErasedData({ preview }: { preview: ErasurePreview }) {
  const { what, endpoints, moreEndpoints, since, kind } = preview;
  const counts = countTexts(what);
  const hiddenCount = endpoints.length + moreEndpoints - MAX_SHOWN_ENDPOINTS;
  return (
    <Section title={texts.willBeErased}>
      {counts.length === 0 && kind !== 'everything' ? (
        <Text>{texts.nothingHere}</Text>
      ) : (
        <ul className={classes.list} aria-label={texts.willBeErased}>
          {counts.map((text) => (
            <li key={text}>{text}</li>
          ))}
          {kind === 'everything' && <li>{texts.everythingElse}</li>}
          {what.bytes > 0 && <li>{texts.size(what.bytes)}</li>}
          {since !== null && (
            <li>
              {texts.since} <RelativeTime at={since} />
            </li>
          )}
          {endpoints.length > 0 && (
            <li>
              {texts.at(endpoints.slice(0, MAX_SHOWN_ENDPOINTS))} {hiddenCount > 0 && texts.more(hiddenCount)}
            </li>
          )}
        </ul>
      )}
    </Section>
  );
}

const receiverName = ({ kind, name, person }: ErasureReceiver): string => {
  if (kind === 'user') return person ?? m.history.actors.person;
  if (kind === 'function') return m.history.actors.function(name);
  return name === '' ? m.history.actors.anonymous : name;
};

/** Lists copies that the erasure cannot delete: data read by others, and backups. */
export function UnreachedCopies({ preview }: { preview: ErasurePreview }) {
  const { receivers, backups, backupFolders } = preview;
  return (
    <Section title={texts.notErased}>
      <Stack gap="0.75rem">
        <Text>{receivers.length === 0 ? texts.unread : texts.copiesOfOthers}</Text>
        {receivers.length > 0 && (
          <ul className={classes.list} aria-label={texts.copiesOfOthers}>
            {receivers.map((receiver) => (
              <li key={`${receiver.kind} ${receiver.name}`}>
                {texts.readerCounts(receiverName(receiver), receiver.reads, receiver.records)}{' '}
                <RelativeTime at={receiver.last} />
              </li>
            ))}
          </ul>
        )}
        {backupFolders.length > 0 && <Text>{texts.backupFolders(backupFolders)}</Text>}
        <Backups backups={backups} />
        <Text c="dimmed" maw="44rem">
          {texts.disk}
        </Text>
      </Stack>
    </Section>
  );
}

function Backups({ backups }: { backups: readonly BackupEntry[] | null }) {
  if (backups === null) return <Text>{texts.backupsUnknown}</Text>;
  if (backups.length === 0) return <Text>{texts.backupsNone}</Text>;
  return (
    <>
      <Text>{texts.backups}</Text>
      <ul className={classes.list} aria-label={texts.backups}>
        {backups.map(({ name, at, until }) => (
          <li key={`${name} ${at}`}>
            {name}, <RelativeTime at={at} />
            {until !== null && (
              <>
                , {texts.backupUntil} <RelativeTime at={until} />
              </>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

export function RemainingData({ preview: { remaining } }: { preview: ErasurePreview }) {
  return (
    <Section title={texts.retained}>
      <ul className={classes.list} aria-label={texts.retained}>
        {remaining.map((remainder) => (
          <li key={remainder}>{texts.remainders[remainder]}</li>
        ))}
      </ul>
    </Section>
  );
}
