console.log(process.hrtime.bigint(), process.hrtime());
