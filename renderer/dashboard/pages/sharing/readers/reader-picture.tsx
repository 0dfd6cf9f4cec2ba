import {
  type Icon,
  IconChartBar,
  IconLink,
  IconMathFunction,
  IconTable,
  IconUser,
  IconWorld,
} from '@tabler/icons-react';
import { Logo } from '../../../../shared/components/logo.tsx';
import classes from './reader-picture.module.css';
import type { Reader, ReaderKind } from './reader.ts';

const ICONS: Record<Exclude<ReaderKind, 'consent' | 'application' | 'contract'>, Icon> = {
  function: IconMathFunction,
  person: IconUser,
  table: IconTable,
  chart: IconChartBar,
  link: IconLink,
  public: IconWorld,
};

/** Hidden from screen readers, because the name is always beside it. @param props.size pixels */
export function ReaderPicture({ reader, size }: { reader: Reader; size: number }) {
  switch (reader.kind) {
    case 'consent':
      return <Logo url={reader.item.debit.requestClientLogoUrl} name={reader.name} size={size} />;
    case 'application':
      return (
        <Logo url={reader.application.item.application.info.graphics.logo.normal} name={reader.name} size={size} />
      );
    case 'contract':
      return <Logo url={undefined} name={reader.name} size={size} />;
    default: {
      const ReaderIcon = ICONS[reader.kind];
      return (
        <span className={classes.icon} style={{ '--size': `${size}px` } as React.CSSProperties} aria-hidden="true">
          <ReaderIcon size={20} stroke={1.6} />
        </span>
      );
    }
  }
}
