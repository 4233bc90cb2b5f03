import { type ESTree, parseSync, Visitor } from 'vite';

/** What stands in for a piece of a file, and how the piece is wrapped so that both can be had at run time. */
export interface Mutant {
  file: string;
  line: number;
  start: number;
  end: number;
  form: 'expression' | 'property' | 'element' | 'statement';
  /** For an expression; the other forms are left out. */
  replacement?: string;
  label: string;
}

/** Calls that only narrow, order or clean what they are called on: `x.where(…)` becomes `x`. */
const REMOVABLE = new Set(
  (
    'where whereRef having on onRef orderBy limit offset onConflict filter sort toSorted reverse toReversed slice trim ' +
    'toLowerCase toUpperCase normalize refine superRefine check strict min max regex int positive nonnegative ' +
    'optional nullable default'
  ).split(' '),
);

const SWAPPED_METHODS = new Map([
  ['some', 'every'],
  ['every', 'some'],
  ['floor', 'ceil'],
  ['ceil', 'floor'],
  ['startsWith', 'endsWith'],
  ['endsWith', 'startsWith'],
]);

const SWAPPED_OPERATORS: Record<string, string[]> = {
  '<': ['<=', '>='],
  '<=': ['<', '>'],
  '>': ['>=', '<='],
  '>=': ['>', '<'],
  '===': ['!=='],
  '!==': ['==='],
  '+': ['-'],
  '-': ['+'],
  '*': ['/'],
  '/': ['*'],
  '%': ['*'],
};

const SWAPPED_IN_SQL: Record<string, string> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '=': '!=',
  '!=': '=',
  is: 'is not',
  'is not': 'is',
  in: 'not in',
  asc: 'desc',
  desc: 'asc',
};

/** Names of tables and columns: another name is no mutant but a statement that cannot run. */
const NAMING = new Set(
  (
    'select selectFrom selectAll where whereRef innerJoin leftJoin on onRef orderBy groupBy updateTable insertInto ' +
    'deleteFrom column columns returning argument ref eb as fn countAll sum max coalesce lit'
  ).split(' '),
);

/** How a statement that is written out begins. */
const SQL = /^['`](\$\{\w+\})?\s*(select|insert|update|delete|with|where)\b/;

const DESCRIBING = new Set(['summary', 'description', 'tag']);

/** Every mutant of a file, in order. */
export function mutantsOf(file: string, source: string): Mutant[] {
  const found: Mutant[] = [];
  const ignored = new Set<unknown>();
  const decided = new Set<unknown>();
  const text = ({ start, end }: { start: number; end: number }) => source.slice(start, end);

  const add = (
    node: { start: number; end: number },
    form: Mutant['form'],
    label: string,
    replacement?: string,
  ) => {
    const line = source.slice(0, node.start).split('\n').length;
    const { start, end } = node;
    found.push({ file, line, start, end, form, label, ...(replacement !== undefined && { replacement }) });
  };
  const replace = (node: { start: number; end: number }, replacement: string, shown = text(node)) => {
    if (!ignored.has(node)) add(node, 'expression', `${brief(shown)} → ${brief(replacement)}`, replacement);
  };
  /** Both outcomes at once say more than the negation, which is left out then. */
  const condition = (node: ESTree.Expression) => {
    replace(node, 'true');
    replace(node, 'false');
    decided.add(node);
  };
  const sqlMutantsOf = (node: ESTree.Node) => {
    if (ignored.has(node)) return;
    sqlMutants(text(node), (changed, label) => add(node, 'expression', brief(label), changed));
  };
  const ignoreWords = (node: unknown) => {
    ignored.add(node);
    if (isNode(node) && node.type === 'ArrayExpression')
      for (const element of node.elements) ignored.add(element);
  };

  const visitor = new Visitor({
    TSLiteralType: ({ literal }) => ignored.add(literal),
    ImportDeclaration: (node) => ignored.add(node.source),
    BinaryExpression: (node) => {
      if (ignored.has(node)) return;
      const words = [node.left, node.right].some(
        ({ type, ...side }) =>
          type === 'TemplateLiteral' || typeof ('value' in side && side.value) === 'string',
      );
      if (node.operator === '+' && words) return;
      const [boundary, negation] = SWAPPED_OPERATORS[node.operator] ?? [];
      for (const operator of decided.has(node) ? [boundary] : [boundary, negation]) {
        if (operator === undefined || (decided.has(node) && /^[!=]==$/.test(operator))) continue;
        replace(node, `${text(node.left)} ${operator} ${text(node.right)}`);
      }
      if (node.operator === 'instanceof' || node.operator === 'in') replace(node, `!(${text(node)})`);
    },
    LogicalExpression: (node) => {
      replace(node, text(node.left));
      replace(node, text(node.right));
    },
    UnaryExpression: (node) => {
      if (decided.has(node)) return;
      if (node.operator === '!' || node.operator === '-') replace(node, text(node.argument));
    },
    IfStatement: (node) => {
      condition(node.test);
      if (!node.alternate) ignored.add(node.consequent);
    },
    ConditionalExpression: (node) => condition(node.test),
    WhileStatement: (node) => replace(node.test, 'false'),
    ForStatement: (node) => {
      if (node.test) replace(node.test, 'false');
    },
    ChainExpression: (node) => {
      let link: unknown = node.expression;
      while (isNode(link)) {
        ignored.add(link);
        const inner: unknown = 'object' in link ? link.object : 'callee' in link ? link.callee : undefined;
        if ('optional' in link && link.optional && isNode(inner)) {
          const at = source.indexOf('?.', inner.end);
          const dot = /[[(]/.test(source[at + 2] ?? '') ? '' : '.';
          replace(node, source.slice(node.start, at) + dot + source.slice(at + 2, node.end));
        }
        link = inner;
      }
    },
    Literal: (node) => {
      if (ignored.has(node)) return;
      const { value } = node;
      if (SQL.test(text(node))) sqlMutantsOf(node);
      if (typeof value === 'boolean') replace(node, String(!value));
      else if (typeof value === 'number') {
        replace(node, String(value + 1));
        if (value > 0) replace(node, String(value - 1));
      } else if (typeof value === 'string' && !value.includes(' ')) {
        const swapped = SWAPPED_IN_SQL[value];
        replace(node, swapped === undefined ? (value === '' ? "'mutant'" : "''") : `'${swapped}'`);
      } else if (value === null) replace(node, "''");
    },
    TaggedTemplateExpression: (node) => {
      ignored.add(node.quasi);
      if (text(node.tag) !== 'sql' && !text(node.tag).startsWith('sql<')) return;
      sqlMutantsOf(node);
    },
    TemplateLiteral: (node) => {
      if (SQL.test(text(node))) sqlMutantsOf(node);
      if (
        !text(node)
          .replaceAll(/\$\{.*?\}/g, '')
          .includes(' ')
      )
        replace(node, "''");
    },
    ArrowFunctionExpression: (node) => {
      if (node.body.type !== 'BlockStatement') replace(node.body, 'undefined');
    },
    ObjectExpression: (node) => {
      for (const property of node.properties) {
        const key = property.type === 'Property' ? text(property.key) : '';
        if (property.type === 'Property') ignored.add(property.key);
        if (DESCRIBING.has(key) && property.type === 'Property') ignored.add(property.value);
        else add(property, 'property', `${brief(text(property))} left out`);
      }
    },
    ArrayExpression: (node) => {
      for (const element of node.elements)
        if (element) add(element, 'element', `${brief(text(element))} left out`);
    },
    CallExpression: (node) => {
      const { callee } = node;
      if (callee.type !== 'MemberExpression') {
        if (callee.type === 'Identifier' && NAMING.has(callee.name)) node.arguments.forEach(nameOnly);
        if (text(callee) === 'isNotBeingRemoved') node.arguments.forEach(ignoreWords);
        return;
      }
      const name = text(callee.property);
      const on = text(callee.object);
      if (/\blog$/.test(on)) for (const argument of node.arguments) ignoreAllWithin(argument);
      if (NAMING.has(name)) node.arguments.forEach(nameOnly);
      if (name.endsWith('Join')) node.arguments.forEach(ignoreWords);
      const swapped =
        on === 'Math' && name === 'max' ? 'min' : on === 'Math' && name === 'min' ? 'max' : undefined;
      const other = swapped ?? SWAPPED_METHODS.get(name);
      if (other !== undefined) {
        replace(node, `${on}.${other}${source.slice(callee.end, node.end)}`, `${name}(…)`);
      } else if (REMOVABLE.has(name) && !ignored.has(node)) {
        const left = brief(source.slice(callee.object.end, node.end).trim());
        add(node, 'expression', `${left} left out`, on);
      }
    },
    ExpressionStatement: (node) => {
      if (!ignored.has(node)) add(node, 'statement', `${brief(text(node))} left out`);
    },
    ThrowStatement: (node) => {
      if (!ignored.has(node)) add(node, 'statement', `${brief(text(node))} left out`);
    },
    ReturnStatement: (node) => {
      if (!ignored.has(node)) add(node, 'statement', `${brief(text(node))} left out`);
    },
    ContinueStatement: (node) => {
      if (!ignored.has(node)) add(node, 'statement', 'continue left out');
    },
  });

  /** The first argument names; `where` compares with its third, by the operator in its second. */
  function nameOnly(argument: unknown, position: number): void {
    if (position === 0) ignoreWords(argument);
  }
  const quiet: [number, number][] = [];
  function ignoreAllWithin({ start, end }: { start: number; end: number }): void {
    quiet.push([start, end]);
  }

  visitor.visit(parseSync(file, source).program);
  const counted = new Set<string>();
  return found
    .filter(({ start, end }) => !quiet.some(([from, to]) => from <= start && end <= to))
    .filter((mutant) => {
      const key = JSON.stringify([mutant.start, mutant.end, mutant.form, mutant.replacement]);
      return !counted.has(key) && counted.add(key);
    })
    .sort((a, b) => a.start - b.start || b.end - a.end);
}

/** Finds SQL with one condition made true, or one comparison turned. */
function sqlMutants(template: string, found: (changed: string, label: string) => void): void {
  // What is not SQL keeps its place but not its words.
  const masked = template.replaceAll(/\$\{(?:[^{}]|\{[^{}]*\})*\}/g, (hole) => '_'.repeat(hole.length));
  const put = (start: number, end: number, by: string) => {
    const label = `${template.slice(Math.max(0, start - 30), start)}${by}${template.slice(end, end + 30)}`;
    found(template.slice(0, start) + by + template.slice(end), label);
  };
  for (const { index, 0: keyword } of masked.matchAll(/\b(where|and|or|on(?! conflict))\s+/gi)) {
    const start = index + keyword.length;
    const end = start + conditionLength(masked.slice(start));
    // Kept in place: a statement that has fewer parameters than values fails anyway.
    const condition = template.slice(start, end);
    put(start, end, `(1 or ${condition}) `);
    if (/^or/i.test(keyword)) put(start, end, `(0 and ${condition}) `);
  }
  for (const { index, 0: operator } of masked.matchAll(/ (<=?|>=?|=|!=|<>) /g)) {
    const swapped = SWAPPED_IN_SQL[operator.trim()];
    if (swapped && !/\bset \w+$/.test(masked.slice(0, index)))
      put(index, index + operator.length, ` ${swapped} `);
  }
}

const AFTER_A_CONDITION =
  /^(and|or|where|order|group|limit|returning|union|on|set|from|join|inner|left|when|then|else|end|do)\b/i;

function conditionLength(sql: string): number {
  let depth = 0;
  for (let i = 0; i < sql.length; i++) {
    const character = sql[i];
    if (character === '(') depth++;
    if (character === ')' && --depth < 0) return i;
    if (i === sql.length - 1) return i;
    if (depth === 0 && i > 0 && /\s/.test(sql[i - 1] ?? '') && AFTER_A_CONDITION.test(sql.slice(i))) return i;
  }
  return sql.length;
}

const isNode = (value: unknown): value is ESTree.Node =>
  typeof value === 'object' && value !== null && 'type' in value && 'start' in value;

const brief = (text: string): string => {
  const line = text.replaceAll(/\s+/g, ' ');
  return line.length > 90 ? `${line.slice(0, 87)}…` : line;
};
