import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before } from 'node:test';

/** A server on this machine that answers while the tests of a file run. Its address is known once they do. */
export function serveTests(answer: RequestListener): { address: string } {
  const served = { address: '' };
  const server = createServer(answer);
  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    served.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return served;
}
