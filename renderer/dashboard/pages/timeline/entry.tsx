import { Anchor, Button } from '@mantine/core';
import { IconPhoto } from '@tabler/icons-react';
import { memo, useState } from 'react';
import { Link } from 'react-router';
import type { FeedEntry } from '../../../shared/api/contract.ts';
import { Picture } from '../../../shared/components/picture.tsx';
import { clockTime, exactTime } from '../../../shared/format/format.ts';
import { m } from '../../../shared/messages/texts.ts';
import { recordPath } from '../../navigation.ts';
import { momentOf } from './day-groups.ts';
import classes from './entry.module.css';
import { partsOf, picturesOf, placeOf, textOf } from './entry-text.ts';

const words = m.timeline;
const PARTS_SHOWN = 8;
/** Characters and lines. Longer texts are opened when one asks. */
const LONG_TEXT = 400;
const LONG_LINES = 6;

/** One thing that happened. Everything in it is text. */
export const Entry = memo(function Entry({ entry }: { entry: FeedEntry }) {
  const { item, recordId } = entry;
  const iso = momentOf(entry).toISOString();
  const text = textOf(item);
  const title = item.title?.text ?? '';
  const place = placeOf(item);
  const parts = partsOf(item);
  // What is said part by part is not said once more as a text.
  const shown = parts.length > 0 && parts.every((part) => text.includes(part.text)) ? '' : text;
  const pictures = picturesOf(item);
  const name = title === '' ? (text.split('\n')[0] ?? '') : title;
  return (
    <li className={classes.entry}>
      <time dateTime={iso} title={exactTime(iso)} className={classes.time}>
        {clockTime(iso)}
      </time>
      <article className={classes.words} aria-label={name === '' ? words.untitled : name}>
        {title !== '' && <h3 className={classes.title}>{title}</h3>}
        {shown !== '' && <Body text={shown} />}
        {parts.length > 0 && (
          <ul className={classes.parts}>
            {parts.slice(0, PARTS_SHOWN).map(({ text: part, badge }, at) => (
              // oxlint-disable-next-line react/no-array-index-key -- parts have no names, and none changes its place
              <li key={at}>
                {part}
                {badge !== undefined && <span className={classes.badge}>{badge}</span>}
              </li>
            ))}
            {parts.length > PARTS_SHOWN && <li>{words.moreItems(parts.length - PARTS_SHOWN)}</li>}
          </ul>
        )}
        {pictures.length > 0 && <Pictures urls={pictures} />}
        <p className={classes.about}>
          <span>{item.title?.subtitle ?? item.source}</span>
          {item.title?.subtitle != null && item.title.subtitle !== item.source && <span>{item.source}</span>}
          {place !== undefined && <span>{place}</span>}
          <Anchor
            component={Link}
            to={recordPath(recordId)}
            size="xs"
            aria-label={words.openLabel(name === '' ? words.untitled : name)}
          >
            {words.open}
          </Anchor>
        </p>
      </article>
    </li>
  );
});

function Body({ text }: { text: string }) {
  const [all, setAll] = useState(false);
  const isLong = text.length > LONG_TEXT || text.split('\n').length > LONG_LINES;
  return (
    <>
      <p className={classes.text} data-cut={(isLong && !all) || undefined}>
        {text}
      </p>
      {isLong && !all && (
        <Anchor component="button" type="button" size="sm" onClick={() => setAll(true)}>
          {words.more}
        </Anchor>
      )}
    </>
  );
}

/** Loaded on request only, because their server would learn about each view. */
function Pictures({ urls }: { urls: readonly string[] }) {
  const [wanted, setWanted] = useState(false);
  if (!wanted) {
    return (
      <Button
        variant="default"
        size="xs"
        className={classes.ask ?? ''}
        title={words.picturesHint}
        leftSection={<IconPhoto size={15} stroke={1.6} />}
        onClick={() => setWanted(true)}
      >
        {words.pictures(urls.length)}
      </Button>
    );
  }
  return (
    <ul className={classes.pictures}>
      {urls.map((url, at) => (
        <li key={url}>
          <Picture url={url} alt={words.picture(at + 1)} fallback={words.noPicture} />
        </li>
      ))}
    </ul>
  );
}
