import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

const SLOWNESS_MS = 500;

/** What may ail a mail server: how it greets and what it returns, or that it is none at all. */
type Ailment = SMTPServerOptions | 'hangs' | 'breaks off';

const rejecting = (responseCode: number): Error => Object.assign(new Error('Not now'), { responseCode });
const slowly: NonNullable<SMTPServerOptions['onMailFrom']> = (_address, _session, done) => {
  wait(SLOWNESS_MS).then(() => done());
};

/** `false` for an error that is final, so that an admin has to ask for the mail again. */
export const AILMENTS: Record<string, { ailment: Ailment; isTriedAgain: boolean }> = {
  slow: { ailment: { onMailFrom: slowly, onRcptTo: slowly }, isTriedAgain: true },
  hanging: { ailment: 'hangs', isTriedAgain: true },
  'rejecting with 451': {
    ailment: { onRcptTo: (_address, _session, done) => done(rejecting(451)) },
    isTriedAgain: true,
  },
  'rejecting all with 554': {
    ailment: { onConnect: (_session, done) => done(rejecting(554)) },
    isTriedAgain: true,
  },
  'rejecting recipients with 550': {
    ailment: { onRcptTo: (_address, _session, done) => done(rejecting(550)) },
    isTriedAgain: false,
  },
  'without TLS': { ailment: { disabledCommands: ['STARTTLS'] }, isTriedAgain: true },
  'closing in DATA': { ailment: 'breaks off', isTriedAgain: true },
};

interface Received {
  to: string;
  messageId: string;
  text: string;
}

/** A mail server on a port of its own, which can be made to ail and get well. */
export interface Post {
  port: number;
  received: Received[];
  /** Lets it be as it is to be from now on; every open connection is cut. */
  become(ailment: Ailment): Promise<void>;
  close(): Promise<void>;
}

/** Opens one that is well; `onTaken` is called once the sender has its 250. */
export async function openPost(
  certificate: { key: string; cert: string },
  onTaken: () => void = () => {},
): Promise<Post> {
  const received: Received[] = [];
  const collect: NonNullable<SMTPServerOptions['onData']> = (stream, { envelope }, done) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const messageId = /^Message-ID: (.+)$/im.exec(text)?.[1]?.trim() ?? '';
      for (const { address } of envelope.rcptTo) received.push({ to: address, messageId, text });
      done();
      onTaken();
    });
  };
  const start = async (ailment: Ailment, port: number): Promise<() => Promise<void>> => {
    const sockets = new Set<Socket>();
    const cut = () => {
      for (const socket of sockets) socket.destroy();
    };
    const smtp =
      ailment === 'hangs'
        ? undefined
        : new SMTPServer({
            ...certificate,
            authOptional: true,
            disableReverseLookup: true,
            closeTimeout: 1,
            logger: false,
            onData: collect,
            ...(ailment === 'breaks off' ? { onData: (stream) => stream.once('data', cut) } : ailment),
          });
    smtp?.on('error', () => {});
    const server: Server = smtp?.server ?? createServer((socket) => socket.on('error', () => {}));
    server.on('connection', (socket) => {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    });
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    post.port = (server.address() as AddressInfo).port;
    return async () => {
      const closed = once(server, 'close');
      server.close();
      cut();
      await closed;
    };
  };
  let close = async () => {};
  const post: Post = {
    port: 0,
    received,
    become: async (ailment) => {
      await close();
      close = await start(ailment, post.port);
    },
    close: () => close(),
  };
  await post.become({});
  return post;
}
