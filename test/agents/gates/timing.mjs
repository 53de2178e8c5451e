console.log(performance.nodeTiming.bootstrapComplete);
