/** `import a, { b as c } from "node:d";`, as the bundler writes it. */
const BUILTIN_IMPORT = /^import (?<names>[^;"']+) from "(?<module>node:[^"]+)";\n/gmu;
const NAMES = /^(?:(?<whole>[\w$]+)|\* as (?<all>[\w$]+))?(?:,\s*)?(?<some>\{[^}]*\})?$/u;

/**
 * The same code with Node's own modules asked for rather than imported. Before an import can be linked, Node reads every name that the module has, and some
 * of them (`crypto.webcrypto`, `util.TextDecoder`) load what no start wants: a fifteenth of it.
 */
export const askForBuiltins = (code: string): string => {
  const asked: string[] = [];
  const rest = code.replaceAll(BUILTIN_IMPORT, (line, names: string, module: string) => {
    const found = NAMES.exec(names.trim())?.groups;
    if (found === undefined) return line;
    for (const name of [found['whole'], found['all'], found['some']?.replaceAll(/([\w$]+) as /gu, '$1: ')])
      if (name !== undefined) asked.push(`const ${name} = process.getBuiltinModule(${JSON.stringify(module)});\n`);
    return '';
  });
  // First of all, as imports are: code above may use what was imported below it.
  return `${asked.join('')}${rest}`;
};
