import type { OwnerFunction } from '../../../../shared/api/contract.ts';
import { m } from '../../../../shared/messages/texts.ts';
import { functionPath } from '../../../navigation.ts';
import { isOn, functionStateOf } from '../../functions/status/state.ts';
import type { Need } from './items.ts';
import { nameOf } from '../../functions/function-text.ts';

const words = m.functions.home;

/** Functions that ask for more, fail, or were stopped. One that is off wants nothing. */
export function functionNeeds(all: readonly OwnerFunction[]): Need[] {
  const names = new Map(all.map((one) => [one.id, nameOf(one)]));
  return all.flatMap((one): Need[] => {
    const name = nameOf(one);
    const need = { id: `function ${one.id}`, to: functionPath(one.id), fault: true };
    switch (functionStateOf(one)) {
      case 'decision':
        return [
          {
            ...need,
            title: words.decision(name),
            text: words.decisionText,
            to: functionPath(one.id, 'enable'),
            action: m.sharing.page.decide,
            fault: false,
          },
        ];
      case 'failing':
        return [{ ...need, title: words.failing(name, one.failures), text: one.lastRun?.message ?? '' }];
      case 'circle': {
        const circle = [...new Set(one.cycle?.chain ?? [])].map((id) => names.get(id) ?? id);
        return [{ ...need, title: words.circle(name), text: circle.length > 1 ? words.circleText(circle) : '' }];
      }
      case 'unavailable':
        return isOn(one) ? [{ ...need, title: words.unavailable(name), text: one.problem ?? '' }] : [];
      default:
        return [];
    }
  });
}
