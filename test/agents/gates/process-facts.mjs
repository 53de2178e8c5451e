console.log(process.memoryUsage().rss, process.uptime());
