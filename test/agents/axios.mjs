// axios over node:http: interceptors, an error status, a timeout, a stream.
import axios from 'axios';
const client = axios.create({ baseURL: process.env.SERVER_URL, timeout: 5000 });
client.interceptors.response.use((response) => ((response.data.seen = true), response));
console.log((await client.get('/json', { params: { d: 20 } })).data);
console.log((await client.post('/json', { a: [1, 2] })).data.body);
await client.get('/nowhere').catch((error) => console.log(error.name, error.code, error.response.status, error.response.data));
await client.get('/hang', { timeout: 50 }).catch((error) => console.log(error.code, error.message));
const { data } = await client.get('/sse?n=4', { responseType: 'stream' });
for await (const chunk of data) console.log(String(chunk).trim());
const both = await Promise.all([1, 2].map((i) => client.get(`/json?d=30&i=${i}`)));
console.log(both.map(({ data: { id } }) => id));
