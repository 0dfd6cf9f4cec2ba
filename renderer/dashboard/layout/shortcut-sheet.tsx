import { Kbd, Switch, Text, Title } from '@mantine/core';
import { Fragment } from 'react';
import { useShortcutSetting } from '../../shared/keyboard/use-shortcuts.ts';
import { m } from '../../shared/messages/texts.ts';
import { Dialog } from '../../shared/overlay/dialog.tsx';
import { navigationEntries } from '../navigation.ts';
import classes from './shortcut-sheet.module.css';

const words = m.shell.shortcuts;

interface Shortcut {
  keys: readonly string[];
  label: string;
}

const GROUPS: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: words.everywhere,
    shortcuts: [
      { keys: ['/'], label: words.search },
      { keys: ['?'], label: words.sheet },
      { keys: [words.control, 'Z'], label: words.undo },
    ],
  },
  {
    title: words.lists,
    shortcuts: [
      { keys: ['J'], label: words.next },
      { keys: ['K'], label: words.previous },
      { keys: ['X'], label: words.select },
      { keys: [words.enter], label: words.open },
      { keys: ['E'], label: m.shell.edit },
      { keys: [words.delete], label: words.remove },
    ],
  },
  {
    title: words.item,
    shortcuts: [
      { keys: ['E'], label: m.shell.edit },
      { keys: ['J'], label: words.next },
      { keys: ['K'], label: words.previous },
      { keys: [words.escape], label: words.close },
    ],
  },
  {
    title: words.pages,
    shortcuts: navigationEntries.map(({ key, label }) => ({ keys: ['G', key.toUpperCase()], label })),
  },
];

export function ShortcutSheet({ opened, close }: { opened: boolean; close: () => void }) {
  const [isOn, setIsOn] = useShortcutSetting();
  return (
    <Dialog
      opened={opened}
      onClose={close}
      title={words.title}
      size="44rem"
      closeButtonProps={{ 'aria-label': m.shell.close }}
    >
      <div className={classes.groups}>
        {GROUPS.map(({ title, shortcuts }) => (
          <section key={title}>
            <Title order={3} size="h5" mb="xs">
              {title}
            </Title>
            <dl className={classes.list}>
              {shortcuts.map(({ keys, label }) => (
                <Fragment key={label}>
                  <dt>
                    {keys.map((key) => (
                      <Kbd key={key} size="sm">
                        {key}
                      </Kbd>
                    ))}
                  </dt>
                  <dd>{label}</dd>
                </Fragment>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Switch
        mt="lg"
        label={words.on}
        description={words.onText}
        checked={isOn}
        onChange={(event) => setIsOn(event.currentTarget.checked)}
      />
      <Text c="dimmed" mt="xs">
        {words.always}
      </Text>
    </Dialog>
  );
}
