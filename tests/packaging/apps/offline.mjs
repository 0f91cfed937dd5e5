// Loaded before an app in Node: no connection leaves the process.
import net from 'node:net';

net.Socket.prototype.connect = () => {
  throw new Error('the app opened a connection');
};
