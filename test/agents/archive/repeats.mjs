// Much of the same.
for (let line = 0; line < 2000; line++) console.log('a line that is written again and again, and again, and again', line);
