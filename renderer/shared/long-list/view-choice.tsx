import { SegmentedControl } from '@mantine/core';
import type { Icon } from '@tabler/icons-react';
import classes from './toolbar.module.css';

interface ViewChoiceProps<View extends string> {
  label: string;
  value: View;
  views: readonly { value: View; icon: Icon; text: string }[];
  onChange: (value: View) => void;
  className?: string | undefined;
}

export function ViewChoice<View extends string>({ label, value, views, onChange, className }: ViewChoiceProps<View>) {
  return (
    <SegmentedControl
      className={className ?? ''}
      aria-label={label}
      value={value}
      onChange={onChange}
      data={views.map(({ value: view, icon: ViewIcon, text }) => ({
        value: view,
        label: (
          <span className={classes.choiceLabel}>
            <ViewIcon size={15} stroke={1.6} />
            {text}
          </span>
        ),
      }))}
    />
  );
}
