import type { Mutant } from './mutators.ts';

interface Span {
  start: number;
  end: number;
  mutants: { id: number; mutant: Mutant }[];
  within: Span[];
}

/**
 * The source with all its mutants in it, each asleep until `$mutant(id)` says true. A replacement holds no further
 * mutants, since only one is ever awake. Statements prepared once are prepared at each use, else no mutant in them
 * could wake.
 */
export function instrument(source: string, mutants: Mutant[], firstId: number): string {
  const root: Span = { start: 0, end: source.length, mutants: [], within: [] };
  const open = [root];
  mutants.forEach((mutant, i) => {
    while ((open.at(-1) ?? root).end < mutant.end || (open.at(-1) ?? root).end <= mutant.start) open.pop();
    let around = open.at(-1) ?? root;
    if (around === root || around.start !== mutant.start || around.end !== mutant.end) {
      const span: Span = { start: mutant.start, end: mutant.end, mutants: [], within: [] };
      around.within.push(span);
      open.push(span);
      around = span;
    }
    around.mutants.push({ id: firstId + i, mutant });
  });
  const body = render(source, root).replaceAll(
    /\bprepared(?=[<(])/g,
    '((build) => (args) => prepared(build)(args))',
  );
  return `const $mutant = (id) => globalThis.$mutation.isAwake(id);${body}`;
}

function render(source: string, span: Span): string {
  let text = '';
  let at = span.start;
  for (const inner of span.within) {
    text += source.slice(at, inner.start) + render(source, inner);
    at = inner.end;
  }
  text += source.slice(at, span.end);
  const expressions = span.mutants.filter(({ mutant }) => mutant.form === 'expression');
  if (expressions.length > 0) {
    const choices = expressions.map(({ id, mutant }) => `$mutant(${id})?(${mutant.replacement}):`);
    text = `(${choices.join('')}(${text}))`;
  }
  for (const { id, mutant } of span.mutants) {
    if (mutant.form === 'property') text = `...($mutant(${id})?{}:{${text}})`;
    if (mutant.form === 'element') text = `...($mutant(${id})?[]:[${text}])`;
    if (mutant.form === 'statement') text = `{if(!$mutant(${id})){${text}}}`;
  }
  return text;
}
