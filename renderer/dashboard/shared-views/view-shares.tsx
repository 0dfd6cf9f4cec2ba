import { Group } from '@mantine/core';
import { IconUser } from '@tabler/icons-react';
import { isolateText } from '../../../server/wire/isolation.ts';
import type { SharedView } from '../../shared/api/contract.ts';
import { UntrustedText } from '../../shared/components/untrusted-text.tsx';
import { ActionButton } from '../../shared/feedback/action-button.tsx';
import { runWithToast, showToast } from '../../shared/feedback/toasts.tsx';
import { dayInWords } from '../../shared/format/format.ts';
import { m } from '../../shared/messages/texts.ts';
import { shareView } from '../api/shared-views.ts';
import { useDataNames } from '../consent/use-data-names.ts';
import classes from './shared-views.module.css';
import type { ShareableView } from './share-view-dialog.tsx';
import { isSameDefinition, selectedRecordsOf, selectedRecordsText } from './shared-view.ts';
import { StopSharingViewButton } from './stop-button.tsx';

const texts = m.sharedViews;

export function ViewShareList({ shares, view }: { shares: readonly SharedView[]; view: ShareableView }) {
  const names = useDataNames();
  const nameOf = (share: SharedView): string =>
    [isolateText(share.name), selectedRecordsText(share, names)].filter((text) => text !== undefined).join(', ');
  return (
    <ul className={classes.list} aria-label={texts.people}>
      {shares.map((share) => (
        <li key={share.sharedViewId}>
          <IconUser size={18} stroke={1.5} aria-hidden="true" />
          <div>
            <strong>
              <UntrustedText>{share.userName}</UntrustedText>
            </strong>
            <span className={classes.secondaryText}>
              {share.ends === null ? nameOf(share) : texts.nameUntil(nameOf(share), dayInWords(new Date(share.ends)))}
            </span>
          </div>
          <Group gap="xs" wrap="nowrap">
            {share.name === view.name && !isSameDefinition(share.definition, view.definition) && (
              <UpdateButton share={share} view={view} />
            )}
            <StopSharingViewButton view={share} />
          </Group>
        </li>
      ))}
    </ul>
  );
}

/** Replaces the shared definition with the current one. The share still ends at the same time. */
function UpdateButton({ share, view }: { share: SharedView; view: ShareableView }) {
  const [name, person] = [isolateText(share.name), isolateText(share.userName)];
  const selectsRecords = [share, view].some(({ definition }) => selectedRecordsOf(definition) !== undefined);
  const update = async () => {
    const { endpoint, userId, ends } = share;
    const updatedView = { endpoint, name: share.name, userId, ends, definition: view.definition };
    if (await runWithToast(() => shareView(updatedView))) showToast(texts.updated(person, name));
  };
  return (
    <ActionButton
      label={texts.updateLabel(person, name)}
      title={selectsRecords ? texts.selected.updateText : texts.updateText}
      action={update}
    >
      {texts.update}
    </ActionButton>
  );
}
