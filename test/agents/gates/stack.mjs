setTimeout(() => console.log(new Error('where').stack.split('\n').slice(2).join('\n')), 1);
