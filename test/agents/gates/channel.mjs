const { port1, port2 } = new MessageChannel();
port1.onmessage = ({ data }) => { console.log(data); port1.close(); };
port2.postMessage('hello');
