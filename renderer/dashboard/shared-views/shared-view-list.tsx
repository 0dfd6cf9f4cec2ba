import { IconChartBar, IconTable } from '@tabler/icons-react';
import type { SharedView } from '../../shared/api/contract.ts';
import { UntrustedText } from '../../shared/components/untrusted-text.tsx';
import { TextLink } from '../../shared/components/text-link.tsx';
import { m } from '../../shared/messages/texts.ts';
import { useDataNames } from '../consent/use-data-names.ts';
import classes from './shared-views.module.css';
import { selectedRecordsText, sharedViewPath } from './shared-view.ts';
import { StopSharingViewButton } from './stop-button.tsx';

export function SharedViewList({ name, views }: { name: string; views: readonly SharedView[] }) {
  const names = useDataNames();
  return (
    <ul className={classes.personViews} aria-label={m.sharedViews.ofPerson(name)}>
      {views.map((view) => {
        const records = selectedRecordsText(view, names);
        const ViewIcon = view.definition.kind === 'table' ? IconTable : IconChartBar;
        return (
          <li key={view.sharedViewId}>
            <ViewIcon size={16} stroke={1.5} aria-hidden="true" />
            <TextLink to={sharedViewPath(view)}>
              <UntrustedText>{view.name}</UntrustedText>
            </TextLink>
            {records !== undefined && <span className={classes.secondaryText}>{records}</span>}
            <StopSharingViewButton view={view} />
          </li>
        );
      })}
    </ul>
  );
}
