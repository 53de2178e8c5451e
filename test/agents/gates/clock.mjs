console.log(Date.now(), performance.now());
