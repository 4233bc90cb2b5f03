// Makes one file of all that the client's start imports. esbuild splits it by who else imports what: some thirty files,
// which a browser on HTTP/1.1 fetches six at a time, a round trip each.

import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { build } from 'esbuild';

/** As esbuild writes them where it does not minify. */
const IMPORT = /^import (?:\{([^}]*)\} from )?"\.\/([^"/]+)";$/gm;

/**
 * Takes the files of a build with splitting, not minified, each with its source map inside. Returns the same code with
 * `main` and all that it imports before it runs as one file, the first. All names share one hash: files name each other.
 */
export async function mergeStart(files, options) {
  const digest = hash('sha256', files.map(({ text }) => text).join('\n')).slice(0, 16);
  const byName = new Map(files.map((file) => [file.name, file]));
  const main = files.find(({ isMain }) => isMain);
  const start = closure(main, byName);
  const others = files.filter((file) => !start.has(file));
  const unnamed = others.filter(({ entryPoint }) => !entryPoint);
  const titleOf = (file) => (file.entryPoint ? file.name.split('.')[0] : `chunk${unnamed.indexOf(file)}`);
  const finalName = (file) => `${start.has(file) ? 'main' : titleOf(file)}.${digest}.js`;
  const exported = [...start].flatMap((file) => file.exports.map((name) => `${file.name} ${name}`));
  const shortName = (file, name) => `$${exported.indexOf(`${file.name} ${name}`).toString(36)}`;
  const exportsOf = (file) => {
    const names = file.exports.map((name) => `${name} as ${shortName(file, name)}`);
    return `export { ${names} } from './${file.name}';`;
  };
  const mainText = [`import './${main.name}';`, ...Array.from(start, exportsOf)].join('\n');
  const own = (name) => start.has(byName.get(name));

  /** The text of a file that imports from the start by one statement, with as many lines as before. */
  const importingOnce = ({ text }) => {
    const taken = [];
    const rest = text.replaceAll(IMPORT, (statement, list, name) => {
      if (!own(name)) return statement;
      for (const item of list?.split(',') ?? []) {
        const [from, to = from] = item.trim().split(' as ');
        taken.push(`${shortName(byName.get(name), from)} as ${to}`);
      }
      return '\n'.repeat(statement.split('\n').length - 1);
    });
    return taken.length > 0 ? `import { ${taken} } from "./${main.name}"; ${rest}` : rest;
  };

  const make = async (file, contents, isOwn) => {
    const name = finalName(file);
    const load = ({ path }) => ({ contents: byName.get(path).text });
    const plugin = {
      name: 'merge-start',
      setup({ onResolve, onLoad }) {
        onResolve({ filter: /./ }, ({ path }) => {
          const wanted = basename(path);
          if (isOwn(wanted)) return { path: wanted, namespace: 'start' };
          return { path: `./${finalName(byName.get(wanted))}`, external: true };
        });
        onLoad({ filter: /./, namespace: 'start' }, load);
      },
    };
    const stdin = { contents, sourcefile: name };
    const made = await build({ ...options, stdin, outfile: name, format: 'esm', plugins: [plugin] });
    const contentOf = (ending) => made.outputFiles.find(({ path }) => path.endsWith(ending)).contents;
    const { imports } = Object.values(made.metafile.outputs).find(({ entryPoint }) => entryPoint);
    const namesOf = (kind) => imports.filter((one) => one.kind === kind).map(({ path }) => basename(path));
    return {
      name,
      entryPoint: file.entryPoint,
      contents: contentOf('.js'),
      map: contentOf('.js.map'),
      imports: namesOf('import-statement'),
      lazy: namesOf('dynamic-import'),
    };
  };
  return Promise.all([
    make(main, mainText, own),
    ...others.map((file) => make(file, importingOnce(file), () => false)),
  ]);
}

/** A file and all that it imports before it runs. */
function closure(file, byName, seen = new Set()) {
  seen.add(file);
  for (const next of file.imports.map((name) => byName.get(name)))
    if (!seen.has(next)) closure(next, byName, seen);
  return seen;
}
