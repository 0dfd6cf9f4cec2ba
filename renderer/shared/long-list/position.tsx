import { ActionIcon, Button, Text, TextInput } from '@mantine/core';
import { IconChevronsDown, IconChevronsUp } from '@tabler/icons-react';
import { type FormEvent, useEffect, useState } from 'react';
import { useDebouncedUrlChange } from '../form/use-debounced-url-change.ts';
import classes from './position.module.css';

/** Shorter lists have no control that jumps to a position. */
const JUMP_CONTROL_MIN_ITEMS = 101;
const SAVE_DEBOUNCE_MS = 400;

interface PositionTexts {
  /** `from` and `to` are item numbers, counted from 1. */
  range: (from: number, to: number, total: number) => string;
  goTo: string;
  goToLabel: string;
  goToSubmit: string;
  first: string;
  last: string;
}

interface PositionProps {
  /** Index of the first visible item. */
  from: number;
  /** Index of the last visible item. */
  to: number;
  total: number;
  aside?: string | undefined;
  scrollTo: (index: number) => void;
  /** Writes the position to the URL. Called after scrolling has stopped. */
  savePosition: (index: number) => void;
  savedPosition: number;
  texts: PositionTexts;
}

export function Position(props: PositionProps) {
  const { from, to, total, aside, scrollTo, savePosition, savedPosition, texts } = props;
  const [text, setText] = useState('');
  const saveSoon = useDebouncedUrlChange((index: number) => {
    if (index !== savedPosition) savePosition(index);
  }, SAVE_DEBOUNCE_MS);
  useEffect(() => saveSoon(from), [saveSoon, from]);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const itemNumber = Number(text.replaceAll(/[^\d]/g, ''));
    if (itemNumber >= 1) scrollTo(Math.min(total, itemNumber) - 1);
    setText('');
  };
  return (
    <div className={classes.position}>
      <Text c="dimmed" component="div">
        {texts.range(Math.min(from + 1, total), Math.min(to + 1, total), total)}
        {aside !== undefined && ` · ${aside}`}
      </Text>
      {total >= JUMP_CONTROL_MIN_ITEMS && (
        <form onSubmit={submit} className={classes.jumpForm}>
          <TextInput
            size="xs"
            inputMode="numeric"
            aria-label={texts.goToLabel}
            placeholder={texts.goTo}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Button type="submit" size="xs" variant="default" disabled={text === ''}>
            {texts.goToSubmit}
          </Button>
          <ActionIcon
            variant="default"
            size={30}
            className={classes.endButton ?? ''}
            aria-label={texts.first}
            onClick={() => scrollTo(0)}
          >
            <IconChevronsUp size={16} stroke={1.6} />
          </ActionIcon>
          <ActionIcon
            variant="default"
            size={30}
            className={classes.endButton ?? ''}
            aria-label={texts.last}
            onClick={() => scrollTo(total - 1)}
          >
            <IconChevronsDown size={16} stroke={1.6} />
          </ActionIcon>
        </form>
      )}
    </div>
  );
}
