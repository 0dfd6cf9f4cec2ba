/** The argument with which the app starts in the tray, without its window. */
export const BACKGROUND = '--background';

/**
 * An entry of the XDG autostart folder.
 *
 * @param command the program and its arguments, as they are
 * @throws {Error} when an argument has a sign that no entry can hold
 */
export function autostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Version=1.5',
    'Name=Personal Data Account',
    // The desktop picks its own.
    'Comment=Keeps your Personal Data Account running',
    'Comment[de]=Lässt dein Personal Data Account laufen',
    `Exec=${command.map(execArgument).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/**
 * One argument of `Exec`, always in quotes. Quoting (", `, $ and \ get a backslash) comes first, then the escaping of strings in such files (each
 * backslash becomes two), and a percent sign would begin a field code.
 */
function execArgument(argument: string): string {
  // eslint-disable-next-line no-control-regex -- these are the signs that are looked for
  if (/[\u0000-\u001F\u007F]/.test(argument))
    throw new Error('an argument with a control sign cannot be started at login');
  const quoted = `"${argument.replaceAll(/["`$\\]/g, String.raw`\$&`)}"`;
  return quoted.replaceAll('\\', '\\\\').replaceAll('%', '%%');
}

/** Where autostart entries are: the specification wants an absolute path, and takes anything else for unset. */
export function autostartFolder(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const config = env['XDG_CONFIG_HOME'];
  return `${config?.startsWith('/') === true ? config : `${home}/.config`}/autostart`;
}
