import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { isOn, functionStateOf } from '../../functions/status/state.ts';
import type { AttentionItem } from './attention-item.ts';
import { nameOf } from '../../functions/function-text.ts';

const texts = m.functions.home;

export function functionItems(allFunctions: readonly OwnerFunction[]): AttentionItem[] {
  const names = new Map(allFunctions.map((ownerFunction) => [ownerFunction.id, nameOf(ownerFunction)]));
  return allFunctions.flatMap((ownerFunction): AttentionItem[] => {
    const name = nameOf(ownerFunction);
    const base = { id: `function ${ownerFunction.id}`, to: functionPath(ownerFunction.id), isError: true };
    switch (functionStateOf(ownerFunction)) {
      case 'decision':
        return [
          {
            ...base,
            title: m.functions.notice.decision(name),
            text: m.functions.notice.decisionText,
            to: functionPath(ownerFunction.id, 'enable'),
            action: m.sharing.page.decide,
            isError: false,
          },
        ];
      case 'failing':
        return [
          { ...base, title: texts.failing(name, ownerFunction.failures), text: ownerFunction.lastRun?.message ?? '' },
        ];
      case 'cycle': {
        const cycleNames = [...new Set(ownerFunction.cycle?.chain ?? [])].map((id) => names.get(id) ?? id);
        return [{ ...base, title: texts.cycle(name), text: cycleNames.length > 1 ? texts.cycleText(cycleNames) : '' }];
      }
      case 'unavailable':
        return isOn(ownerFunction)
          ? [{ ...base, title: texts.unavailable(name), text: ownerFunction.problem ?? '' }]
          : [];
      default:
        return [];
    }
  });
}
