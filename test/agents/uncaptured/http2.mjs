import http2 from 'node:http2';
console.log('before');
try { http2.connect(process.env.SERVER_URL).on('error', () => {}).on('close', () => console.log('closed')); } catch { console.log('caught'); }
