import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { addComment, editComment, removeComment } from '../data/intents.ts';
import { compareTexts } from '../data/live-list.ts';
import type { Comment, Task } from '../data/rows.ts';
import { now, zone } from '../shell/clock.ts';
import { isAdminIn, mayWriteIn, roleIn } from '../shell/frame-view.ts';
import { query } from '../shell/navigation.ts';
import { useRows, useUserData } from '../shell/store.ts';
import { mentionedIn, plainMentions, withMentions } from '../text/mentions.ts';
import { quoted } from '../text/quoted.ts';
import { sayWhen } from '../text/say-dates.ts';
import { Avatar } from '../ui/avatar.tsx';
import { Button, Tool } from '../ui/button.tsx';
import { type MenuItem, MoreButton } from '../ui/menu.tsx';
import { Linked } from '../ui/prose.tsx';
import { submits } from '../ui/submits.ts';
import { act, actInSight, actQuietly } from './act.ts';
import { CommentField } from './comment-field.tsx';
import { Unsent } from './unsent.tsx';

interface Props {
  task: Task;
  level: 2 | 3;
}

/** What people said about a task, oldest first. */
export function Comments({ task, level }: Props) {
  const id = useId();
  const { store } = useUserData();
  const [isLoaded, setLoaded] = useState<boolean>();
  const isSent = task.version > 0;
  useEffect(() => {
    if (!isSent) return;
    let isWanted = true;
    void store.queries
      .loadComments(task.workspaceId, task.id)
      .then((isThere) => isWanted && setLoaded(isThere));
    return () => {
      isWanted = false;
    };
  }, [task.id, task.workspaceId, isSent, store.queries.loadsOf(task.workspaceId), store.isReachable.value]);
  const { rows: comments } = useRows(
    'comment',
    ({ taskId }) => taskId === task.id,
    (a, b) => compareTexts(a.createdAt, b.createdAt),
    [task.id],
  );
  const list = useRef<HTMLOListElement>(null);
  const hasSent = useRef(false);
  useLayoutEffect(() => {
    if (hasSent.current) list.current?.lastElementChild?.scrollIntoView({ block: 'nearest' });
    hasSent.current = false;
  }, [comments.length]);
  const Heading = `h${level}` as const;
  const may = mayWriteIn(task.workspaceId);
  const hidden = isLoaded === false && comments.length < task.commentCount;
  return (
    <section class="comments" aria-label="Comments">
      {(comments.length > 0 || hidden) && (
        <Heading class="part-head" id={id}>
          Comments <span class="count">{task.commentCount}</span>
        </Heading>
      )}
      {hidden && <p class="quiet">Earlier comments are shown once the server can be reached.</p>}
      {comments.length > 0 && (
        <ol ref={list} aria-labelledby={id}>
          {comments.map((comment) => (
            <Entry key={comment.id} comment={comment} task={task} />
          ))}
        </ol>
      )}
      {isLoaded && (
        <Unsent
          taskId={task.id}
          hasField={(key) => (key === task.id ? may : comments.some((one) => key === draftOf(one)))}
        />
      )}
      {may && (
        <Composer
          task={task}
          onSend={() => {
            hasSent.current = true;
          }}
        />
      )}
    </section>
  );
}

/** Where the new words of a comment are kept, by its task. */
const draftOf = ({ taskId, id }: Comment): string => `${taskId} ${id}`;

function Entry({ comment, task }: { comment: Comment; task: Task }) {
  const { store, userId, drafts } = useUserData();
  const [isEditing, setEditing] = useState(drafts.has(draftOf(comment)));
  const { id, authorId, body, createdAt, editedAt } = comment;
  const isAskedFor = query.value.get('comment') === id;
  const entry = useRef<HTMLLIElement>(null);
  useLayoutEffect(() => {
    // It may come late: not to someone who goes on meanwhile.
    if (!isAskedFor || !document.activeElement?.matches('body, #task-title')) return;
    entry.current?.scrollIntoView({ block: 'center' });
    entry.current?.focus({ preventScroll: true });
  }, [isAskedFor]);
  const author = authorId ? store.view.signal('member', `${task.workspaceId}/${authorId}`).value : undefined;
  const name = author?.name ?? 'Someone who left';
  const isMine = authorId === userId && roleIn(task.workspaceId) !== 'viewer';
  const mayRemove = isMine || isAdminIn(task.workspaceId);
  const remove = () =>
    act(`Deleted a comment on ${quoted(task.title)}`, [removeComment(comment, task.workspaceId)]);
  const items: MenuItem[] = [];
  if (isMine) items.push({ title: 'Edit', icon: 'pencil', run: () => setEditing(true) });
  if (mayRemove) items.push({ title: 'Delete', icon: 'trash', isDanger: true, run: remove });
  return (
    <li ref={entry} class="comment" tabIndex={isAskedFor ? -1 : undefined}>
      <Avatar id={authorId ?? ''} name={name} isDecoration />
      <p class="line">
        <strong class="cut" dir="auto">
          {name}
        </strong>
        <time class="quiet" dateTime={createdAt}>
          {sayWhen(createdAt, zone.value, now.value)}
        </time>
        {editedAt && <span class="quiet">edited</span>}
        {items.length > 0 && <MoreButton class="push" items={items} />}
      </p>
      {isEditing ? (
        <EditField comment={comment} task={task} onEnd={() => setEditing(false)} />
      ) : (
        <p class="comment-body" dir="auto">
          <Linked text={plainMentions(body)} />
        </p>
      )}
    </li>
  );
}

function EditField({ comment, task, onEnd }: { comment: Comment; task: Task; onEnd(): void }) {
  const { membersIn, drafts } = useUserData();
  const people = membersIn(task.workspaceId).rows;
  const [before] = useState(drafts.get(draftOf(comment)));
  const [text, setText] = useState(before ?? plainMentions(comment.body));
  useLayoutEffect(() => {
    drafts.set(draftOf(comment), text);
  }, [text]);
  const end = () => {
    drafts.delete(draftOf(comment));
    onEnd();
  };
  const save = () => {
    const body = withMentions(text.trim(), [...mentionedIn(comment.body, people), ...people]);
    if (body !== '' && body !== comment.body)
      actInSight(`Changed a comment on ${quoted(task.title)}`, [
        editComment(comment, task.workspaceId, body, comment.body),
      ]);
    end();
  };
  return (
    <div class="comment-edit">
      <CommentField
        label="Edit comment"
        class="comment-text"
        hasFocus={before === undefined}
        text={text}
        people={people}
        onText={setText}
        onSend={save}
        onEscape={end}
      />
      <div class="line">
        <Button class="push" onClick={end}>
          Cancel
        </Button>
        <Button class="main" onClick={save}>
          Save
        </Button>
      </div>
    </div>
  );
}

function Composer({ task, onSend }: { task: Task; onSend(): void }) {
  const { store, membersIn, drafts } = useUserData();
  const people = membersIn(task.workspaceId);
  people.revision.value;
  const [text, setText] = useState(drafts.get(task.id) ?? '');
  drafts.set(task.id, text);
  const send = () => {
    const body = withMentions(text.trim(), people.rows);
    if (body === '') return;
    setText('');
    onSend();
    actQuietly(`Commented on ${quoted(task.title)}`, [addComment(task, store.makeId(), body)]);
  };
  return (
    <form class="compose" onSubmit={submits(send)}>
      <CommentField
        label="Comment"
        text={text}
        people={people.rows}
        onText={setText}
        onSend={send}
        onEscape={() => document.getElementById('task-title')?.focus({ preventScroll: true })}
      />
      <Tool type="submit" icon="send" label="Send" aria-keyshortcuts="Control+Enter" />
    </form>
  );
}
