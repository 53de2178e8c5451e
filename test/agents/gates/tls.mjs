// One request over TLS.
const response = await fetch(`${process.env.SERVER_TLS_URL}/json`);
console.log(response.status, await response.json());
