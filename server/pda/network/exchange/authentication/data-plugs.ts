import { nameKey } from '../../../../wire/users.ts';
import type { DataPlug } from '../../../../wire/data-plugs.ts';
import type { PlugRow } from '../store.ts';

export const selectUsablePlugs = (
  plugs: readonly DataPlug[],
  exchange: string,
  isSupportedHash: (hash: string) => boolean,
): PlugRow[] => {
  const rows = plugs.flatMap(({ approved, connected, applicationId, name, passwordHash }) =>
    approved && connected && passwordHash !== undefined && isSupportedHash(passwordHash)
      ? [{ application: applicationId, exchange, name, name_key: nameKey(name), password_hash: passwordHash }]
      : [],
  );
  const countBy = (pick: (row: PlugRow) => string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const row of rows) counts.set(pick(row), (counts.get(pick(row)) ?? 0) + 1);
    return counts;
  };
  const names = countBy((row) => row.name_key);
  const applications = countBy((row) => row.application.toLowerCase());
  // Plugs that share a name or an application are ambiguous, so none of them may sign in.
  return rows.filter((row) => names.get(row.name_key) === 1 && applications.get(row.application.toLowerCase()) === 1);
};

/** Returns the previous rows that are gone or whose credentials changed. Their sessions must end. */
export const findRevokedPlugs = (previous: readonly PlugRow[], current: readonly PlugRow[]): PlugRow[] =>
  previous.filter(
    (row) =>
      !current.some(
        (other) =>
          other.application.toLowerCase() === row.application.toLowerCase() &&
          other.exchange === row.exchange &&
          other.name_key === row.name_key &&
          other.password_hash === row.password_hash,
      ),
  );
