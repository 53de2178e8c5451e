// The service that answers lives two hours ahead.
console.log((await fetch(`${process.env.MODEL_URL}/ahead`)).status);
