export interface ServerEvent {
  event: string;
  id: string;
  data: unknown;
}

/** Reads server-sent events off a response. `onBeat` is told of each piece, comments too. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBeat: () => void,
  signal: AbortSignal,
): AsyncGenerator<ServerEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const cancel = (): void => void reader.cancel().catch(() => {});
  signal.addEventListener('abort', cancel);
  let rest = '';
  let event: { event: string; id: string; data: string[] } = { event: '', id: '', data: [] };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onBeat();
      const lines = (rest + decoder.decode(value, { stream: true })).split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (event.data.length > 0)
            yield { event: event.event || 'message', id: event.id, data: JSON.parse(event.data.join('\n')) };
          event = { event: '', id: event.id, data: [] };
          continue;
        }
        const [, field = '', text = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
        if (field === 'event') event.event = text;
        else if (field === 'id') event.id = text;
        else if (field === 'data') event.data.push(text);
      }
    }
  } finally {
    signal.removeEventListener('abort', cancel);
    cancel();
  }
}
