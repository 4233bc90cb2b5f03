import { rank } from '../text/match.ts';
import type { Named, QuickAddContext, QuickTask } from '../text/quick-add.ts';
import { Cut } from '../ui/cut.tsx';
import { Keycaps } from '../ui/keycaps.tsx';
import { ChoiceMark } from './quick-add-marks.tsx';

/** What completes a name that is being typed. */
export interface Choice {
  id: string;
  title: string;
  isNew?: boolean;
}

const NAMES = { '#': 'Lists', '@': 'People', '*': 'Labels', '/': 'Statuses' } as const;

/** What of names behind a sigil matches, best first; a label that is not there can be made. */
export function choicesFor(
  sigil: keyof typeof NAMES,
  query: string,
  context: QuickAddContext,
  task: QuickTask,
): Choice[] {
  const list = task.listId ?? context.listId;
  const things: readonly Named[] = {
    '#': context.lists,
    '@': [{ id: context.me, title: 'me' }, ...context.people],
    '*': context.labels,
    '/': list === null ? [] : context.statusesOf(list),
  }[sigil];
  const found: Choice[] = rank(query, things, ({ title }) => title, 6).map(({ id, title }) => ({
    id,
    title,
  }));
  const isTyped = ({ title }: Named) => title.toLowerCase() === query.toLowerCase();
  if (sigil === '*' && query !== '' && !things.some(isTyped))
    found.push({ id: 'new', title: query, isNew: true });
  // One that stands there already is no choice.
  const [only, another] = found;
  return only && !another && !only.isNew && isTyped(only) ? [] : found;
}

interface Props {
  /** Of the dialog: options are named after it. */
  id: string;
  sigil: keyof typeof NAMES;
  choices: readonly Choice[];
  active: number;
  onTake(choice: Choice): void;
}

/** The options below the field, which keeps the focus. */
export function Choices({ id, sigil, choices, active, onTake }: Props) {
  return (
    <div class="menu" role="listbox" id={`${id}-options`} aria-label={NAMES[sigil]}>
      {choices.map((choice, index) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field
        // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus
        <div
          key={choice.id}
          id={`${id}-${index}`}
          class={index === active ? 'option active' : 'option'}
          role="option"
          aria-selected={index === active}
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onTake(choice)}
        >
          <ChoiceMark sigil={sigil} id={choice.id} title={choice.title} />
          <Cut>{choice.isNew ? `New label “${choice.title}”` : choice.title}</Cut>
          {index === active && (
            <span class="push" aria-hidden="true">
              <Keycaps binding="Tab" />
            </span>
          )}
        </div>
      ))}
    </div>
  );
}
