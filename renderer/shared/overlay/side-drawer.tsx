import { ActionIcon, Drawer, Group, Tooltip } from '@mantine/core';
import { type Icon, IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { m } from '../messages/texts.ts';
import classes from './side-drawer.module.css';
import { useTopLayer } from './use-top-layer.ts';

interface Step {
  label: string;
  /** None where the list begins or ends. */
  go: (() => void) | undefined;
}

interface SideDrawerProps {
  opened: boolean;
  close: () => void;
  title: string;
  size?: string;
  /** Something in it is not saved: neither Escape nor a click beside it closes it. */
  locked?: boolean;
  /** To its neighbours in the list behind. */
  steps?: { previous: Step; next: Step } | undefined;
  children: ReactNode;
}

/** What one line of a page holds, at its side. The page behind stays where it was. */
export function SideDrawer({ opened, close, title, size = '36rem', locked = false, steps, children }: SideDrawerProps) {
  const isOnTop = useTopLayer(opened);
  return (
    <Drawer.Root
      opened={opened}
      onClose={() => {
        if (isOnTop()) close();
      }}
      position="right"
      size={size}
      transitionProps={{ duration: 120 }}
      closeOnEscape={!locked}
      closeOnClickOutside={!locked}
      classNames={{ content: classes.content ?? '' }}
    >
      <Drawer.Overlay backgroundOpacity={0.18} />
      <Drawer.Content aria-label={title}>
        <Drawer.Header className={classes.header ?? ''}>
          <Drawer.Title className={classes.title ?? ''}>{title}</Drawer.Title>
          {steps !== undefined && (
            <Group gap={4} ml="auto">
              <StepButton step={steps.previous} sign={IconChevronUp} />
              <StepButton step={steps.next} sign={IconChevronDown} />
            </Group>
          )}
          <Drawer.CloseButton aria-label={m.shell.close} ml={steps === undefined ? 'auto' : 'xs'} />
        </Drawer.Header>
        <Drawer.Body className={classes.body ?? ''}>{children}</Drawer.Body>
      </Drawer.Content>
    </Drawer.Root>
  );
}

function StepButton({ step: { label, go }, sign: Sign }: { step: Step; sign: Icon }) {
  return (
    <Tooltip label={label}>
      <ActionIcon
        variant="subtle"
        color="gray"
        c="var(--ink-soft)"
        size={32}
        aria-label={label}
        disabled={go === undefined}
        onClick={go}
      >
        <Sign size={18} stroke={1.6} />
      </ActionIcon>
    </Tooltip>
  );
}

/** The way to a neighbour, if there is one. */
export function stepTo<Item>(label: string, to: Item | undefined, open: (item: Item) => void): Step {
  return { label, go: to === undefined ? undefined : () => open(to) };
}
