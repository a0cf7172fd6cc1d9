// Opens a WebSocket over a stream of HTTP/2 (RFC 8441) with Node's own http2: h2socket.mjs URL [direct].
// Prints each frame it gets. With `direct` it goes to the URL's own port instead of through the proxy.
import http from 'node:http';
import http2 from 'node:http2';
import tls from 'node:tls';
import { once } from 'node:events';

const url = new URL(process.argv[2]);

async function tunnel() {
  const proxy = new URL(process.env.https_proxy);
  const target = { host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: `${url.hostname}:443` };
  const request = http.request(target);
  request.end();
  const [, plain] = await once(request, 'connect');
  const secure = tls.connect({ socket: plain, servername: url.hostname, ALPNProtocols: ['h2'] });
  await once(secure, 'secureConnect');
  return { createConnection: () => secure };
}

const session = http2.connect(url.origin, process.argv[3] === 'direct' ? {} : await tunnel());
const [settings] = await once(session, 'remoteSettings');
if (!settings.enableConnectProtocol) throw new Error('RFC 8441 is not offered');
const stream = session.request({
  ':method': 'CONNECT', ':protocol': 'websocket', ':scheme': url.protocol.slice(0, -1), ':path': url.pathname,
  ':authority': url.host,
  'sec-websocket-version': '13', 'sec-websocket-protocol': 'chat.v2',
});

function send(first, text) {
  const payload = Buffer.from(text);
  const key = [7, 11, 13, 17];
  payload.forEach((octet, index) => { payload[index] = octet ^ key[index % 4]; });
  stream.write(Buffer.concat([Buffer.from([first, 0x80 | payload.length, ...key]), payload]));
}

const [headers] = await once(stream, 'response');
console.log(headers[':status'], headers['sec-websocket-protocol']);
let input = Buffer.alloc(0);
const says = ['hello', 'ping', 'grüße', 'bye'];
stream.on('data', (data) => {
  input = Buffer.concat([input, data]);
  // All frames of this talk are short.
  while (input.length >= 2 && input.length >= 2 + input[1]) {
    const [first, payload] = [input[0], Buffer.from(input.subarray(2, 2 + input[1]))];
    input = input.subarray(2 + payload.length);
    console.log(first.toString(16), payload.toString('latin1'));
    if (first === 0x89) send(0x8a, payload);
    else if (first === 0x88) send(0x88, payload);
    else if (says.length) send(0x81, says.shift());
  }
});
await once(stream, 'close');
session.close();
