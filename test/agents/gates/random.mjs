console.log(Math.random());
