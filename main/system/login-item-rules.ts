export const BACKGROUND_ARGUMENT = '--background';

/**
 * Returns the content of a file in the XDG autostart folder.
 * @param command the program and its arguments, unescaped
 * @throws {Error} if an argument contains a control character
 */
export function buildAutostartEntry(command: readonly string[]): string {
  return [
    '[Desktop Entry]',
    'Type=Application',
    'Version=1.5',
    'Name=Personal Data Account',
    'Comment=Keeps your Personal Data Account running',
    'Comment[de]=Lässt dein Personal Data Account laufen',
    `Exec=${command.map(quoteExecArgument).join(' ')}`,
    'Terminal=false',
    'X-GNOME-Autostart-enabled=true',
    '',
  ].join('\n');
}

/**
 * Quotes one argument of `Exec` (Desktop Entry Specification): first quoting (", `, $ and \ get a backslash), then
 * string escaping (each backslash is doubled). A percent sign is doubled, because it would begin a field code.
 */
function quoteExecArgument(argument: string): string {
  // eslint-disable-next-line no-control-regex -- matches control characters on purpose
  if (/[\u0000-\u001F\u007F]/.test(argument))
    throw new Error('Cannot start at login: the path of the app or the PDA contains a control character. Rename it.');
  const quotedArgument = `"${argument.replaceAll(/["`$\\]/g, String.raw`\$&`)}"`;
  return quotedArgument.replaceAll('\\', '\\\\').replaceAll('%', '%%');
}

/** Returns the autostart folder. The XDG specification requires a relative `XDG_CONFIG_HOME` to be ignored. */
export function resolveAutostartFolder(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const config = env['XDG_CONFIG_HOME'];
  return `${config?.startsWith('/') === true ? config : `${home}/.config`}/autostart`;
}
