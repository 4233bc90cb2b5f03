import { useState } from 'preact/hooks';
import { useUserData } from '../shell/store.ts';
import { Button } from '../ui/button.tsx';

interface Props {
  taskId: string;
  /** Whether a draft is in its field. */
  hasField?: (key: string) => boolean;
}

/** What was typed about a task, and lost its field: the task or the comment is gone, or may only be read. */
export function Unsent({ taskId, hasField = () => false }: Props) {
  const { drafts } = useUserData();
  const [, setDropped] = useState('');
  const left = [...drafts].filter(([key, text]) => key.startsWith(taskId) && text !== '' && !hasField(key));
  return left.map(([key, text]) => (
    <details key={key} open>
      <summary>Your comment, not sent</summary>
      <p class="prose" dir="auto">
        {text}
      </p>
      <p class="prose">
        <Button
          onClick={() => {
            drafts.delete(key);
            setDropped(key);
          }}
        >
          Drop
        </Button>
      </p>
    </details>
  ));
}
