import { type ReadWorkspace, readDocument, sum } from './document.ts';
import { piecesOf } from './pieces.ts';
import type { Plan, ReadRequest, ReadResponse } from './plan.ts';
import type { Entry } from './rows.ts';

/** Reads a document, and makes rows of it; returns the reply to a message, or nothing where none is due. */
export function createReader(): (request: ReadRequest) => ReadResponse | undefined {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let isBroken = false;
  let workspaces: ReadWorkspace[] = [];
  let pieces: Generator<Entry[]> | undefined;

  function decode(chunk: Uint8Array | undefined): void {
    if (isBroken) return;
    try {
      text += decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      isBroken = true;
      text = '';
    }
  }

  function plan(importer: Parameters<typeof readDocument>[1]): Plan {
    decode(undefined);
    if (isBroken) return { broken: 'The document is not valid UTF-8' };
    const result = readDocument(text, importer);
    text = '';
    if (!('read' in result)) return result;
    ({ workspaces } = result.read);
    return {
      ...result.read,
      workspaces: workspaces.map(({ id, title, key, createdAt, updatedAt, lists, spaces, ...rest }) => ({
        id,
        title,
        key,
        createdAt,
        updatedAt,
        sizes: {
          lists: lists.length + sum(rest.trash, (entry) => entry.lists.length),
          spaces: spaces.length + sum(rest.trash, (entry) => entry.spaces.length),
          status_templates: rest.statusTemplates.length,
          series: rest.series.length + sum(rest.trash, (entry) => entry.series.length),
        },
      })),
    };
  }

  return (request) => {
    if ('chunk' in request) {
      decode(request.chunk);
      return undefined;
    }
    if ('importer' in request) return { plan: plan(request.importer) };
    if ('storing' in request) pieces = piecesOf(workspaces, request.storing);
    const next = pieces?.next();
    return { piece: next?.done === false ? next.value : undefined };
  };
}
