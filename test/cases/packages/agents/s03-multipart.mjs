// Case S03: one file uploaded as multipart by fetch, by form-data over node:http, and as the OpenAI SDK does it.
import fs from 'node:fs';
import http from 'node:http';
import NodeFormData from 'form-data';
import OpenAI from 'openai';
const server = process.env.SERVER_URL;
const bytes = fs.readFileSync('upload.bin');
const stream = () => fs.createReadStream('upload.bin');
const form = new FormData();
form.set('purpose', 'fetch ü');
form.set('file', new File([bytes], 'upload.bin', { type: 'application/octet-stream' }));
console.log('fetch', JSON.stringify(await (await fetch(`${server}/multipart`, { method: 'POST', body: form })).json()));
const nodeForm = new NodeFormData();
nodeForm.append('purpose', 'form-data');
nodeForm.append('file', stream());
const answer = await new Promise((resolve, reject) => {
  const request = http.request(`${server}/multipart`, { method: 'POST', headers: nodeForm.getHeaders() }, async (response) => resolve(Buffer.concat(await response.toArray())));
  nodeForm.pipe(request.on('error', reject));
});
console.log('form-data', answer.toString());
const client = new OpenAI({ baseURL: `${server}/v1`, apiKey: 'sk-test-0000' });
console.log('openai', JSON.stringify(await client.files.create({ file: stream(), purpose: 'assistants' })));
