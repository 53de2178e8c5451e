const format = new Intl.DateTimeFormat('en', { minute: 'numeric', second: 'numeric', fractionalSecondDigits: 3 });
console.log(format.format(), format.formatToParts().length);
