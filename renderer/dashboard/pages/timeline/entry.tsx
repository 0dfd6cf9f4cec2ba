import { Anchor, Button, Group } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { memo, useState } from 'react';
import type { FeedItem } from '../../../shared/api/contract.ts';
import { UntrustedText } from '../../../shared/components/untrusted-text.tsx';
import { Picture } from '../../../shared/components/picture.tsx';
import { exactTime } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { recordPath } from '../../navigation.ts';
import classes from './entry.module.css';
import { partsOf, picturesOf, locationText, textOf } from './entry-text.ts';
import { TextLink } from '../../../shared/components/text-link.tsx';

const texts = m.timeline;
const MAX_LISTED_PARTS = 8;
/** Longer texts are collapsed until the owner expands them. */
const COLLAPSE_ABOVE_CHARS = 400;
const COLLAPSE_ABOVE_LINES = 6;

interface EntryProps {
  recordId: string;
  item: FeedItem;
  /** Time of day such as `14:05`. */
  time: string;
}

/** Renders third-party content as plain text. */
export const Entry = memo(function Entry({ recordId, item, time }: EntryProps) {
  const moment = new Date(item.date.unix * 1000);
  const iso = Number.isNaN(moment.getTime()) ? undefined : moment.toISOString();
  const text = textOf(item);
  const title = item.title?.text ?? '';
  const locationLabel = locationText(item);
  const parts = partsOf(item);
  // A text that contains all parts repeats them, so it is omitted.
  const bodyText = parts.length > 0 && parts.every((part) => text.includes(part.text)) ? '' : text;
  const pictures = picturesOf(item);
  const name = title === '' ? (text.split('\n')[0] ?? '') : title;
  return (
    <li className={classes.entry}>
      <time dateTime={iso} title={iso === undefined ? undefined : exactTime(iso)} className={classes.time}>
        {time}
      </time>
      <article className={classes.content} aria-label={name === '' ? texts.untitled : name}>
        {title !== '' && (
          <h3 className={classes.title}>
            <UntrustedText>{title}</UntrustedText>
          </h3>
        )}
        {bodyText !== '' && <Body text={bodyText} />}
        {parts.length > 0 && (
          <ul className={classes.details}>
            {parts.slice(0, MAX_LISTED_PARTS).map(({ text: part, badge }, index) => (
              // oxlint-disable-next-line react/no-array-index-key -- parts have no ids and keep their order
              <li key={index}>
                <UntrustedText>{part}</UntrustedText>
                {badge !== undefined && (
                  <span className={classes.badge}>
                    <UntrustedText>{badge}</UntrustedText>
                  </span>
                )}
              </li>
            ))}
            {parts.length > MAX_LISTED_PARTS && <li>{texts.moreItems(parts.length - MAX_LISTED_PARTS)}</li>}
          </ul>
        )}
        {pictures.length > 0 && <Pictures urls={pictures} />}
        <Group gap="0.125rem 1rem" mt="xs" fz="xs" c="dimmed">
          <UntrustedText>{item.title?.subtitle ?? item.source}</UntrustedText>
          {item.title?.subtitle != null && item.title.subtitle !== item.source && (
            <UntrustedText>{item.source}</UntrustedText>
          )}
          {locationLabel !== undefined && <UntrustedText>{locationLabel}</UntrustedText>}
          <TextLink
            to={recordPath(recordId)}
            size="xs"
            aria-label={texts.openLabel(name === '' ? texts.untitled : name)}
            data-list-item
          >
            {texts.open}
          </TextLink>
        </Group>
      </article>
    </li>
  );
});

function Body({ text }: { text: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const isLong = text.length > COLLAPSE_ABOVE_CHARS || text.split('\n').length > COLLAPSE_ABOVE_LINES;
  return (
    <>
      <p className={classes.text} data-collapsed={(isLong && !showsAll) || undefined}>
        {text}
      </p>
      {isLong && !showsAll && (
        <Anchor component="button" type="button" onClick={() => setShowsAll(true)}>
          {texts.more}
        </Anchor>
      )}
    </>
  );
}

/** Loads pictures only on request, because their server can log each view. */
function Pictures({ urls }: { urls: readonly string[] }) {
  const [isRequested, setIsRequested] = useState(false);
  if (!isRequested) {
    return (
      <Button
        variant="default"
        size="xs"
        mt="sm"
        title={texts.picturesHint}
        leftSection={<IconPhoto size={15} stroke={1.6} />}
        onClick={() => setIsRequested(true)}
      >
        {texts.pictures(urls.length)}
      </Button>
    );
  }
  return (
    <ul className={classes.pictures}>
      {urls.map((url, index) => (
        <li key={url}>
          <Picture url={url} alt={texts.picture(index + 1)} fallback={m.applications.about.noPicture} />
        </li>
      ))}
    </ul>
  );
}
