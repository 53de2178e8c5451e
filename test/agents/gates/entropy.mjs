console.log(crypto.randomUUID());
