// Node's http2 through a tunnel of the proxy: several requests at once on one connection. Usage: http2.mjs HOST
import http from 'node:http';
import http2 from 'node:http2';
import tls from 'node:tls';

const host = process.argv[2];
const proxy = new URL(process.env.https_proxy);
const fail = error => { console.error(error); process.exit(1); };

const connect = http.request({
  host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: `${host}:443`, headers: { host: `${host}:443` },
});
connect.on('error', fail);
connect.on('connect', (response, socket) => {
  if (response.statusCode !== 200) fail(new Error(`CONNECT: ${response.statusCode}`));
  const secure = tls.connect({ socket, servername: host, ALPNProtocols: ['h2'] }, async () => {
    const session = http2.connect(`https://${host}`, { createConnection: () => secure });
    session.on('error', fail);
    const ask = (method, path, body) => new Promise((resolve, reject) => {
      const stream = session.request({ ':method': method, ':path': path }, { endStream: !body });
      let status, length = 0, text = '';
      stream.on('response', headers => { status = headers[':status']; });
      stream.on('data', data => { length += data.length; text += data.toString('latin1').slice(0, 40); });
      stream.on('end', () => resolve([method, path, status, length, text.split('\n')[0].slice(0, 40)].join(' ')));
      stream.on('error', reject);
      if (body) stream.end(body);
    });
    try {
      const answers = await Promise.all(['/a', '/b', '/stream', '/big'].map(path => ask('GET', path)));
      answers.push(await ask('POST', '/post', Buffer.alloc(100000, 'x')));
      console.log(answers.join('\n'));
      session.close();
    } catch (error) { fail(error); }
  });
  secure.on('error', fail);
});
connect.end();
