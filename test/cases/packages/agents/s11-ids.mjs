// 300 ids of every sort: more than any pool of random bytes holds.
import { createId } from '@paralleldrive/cuid2';
import { nanoid } from 'nanoid';
import { ulid } from 'ulid';
import { v1, v4, v6, v7 } from 'uuid';

const makers = { v1, v4, v6, v7, nanoid, ulid: () => ulid(), cuid2: createId, randomUUID: () => crypto.randomUUID() };
for (const [name, make] of Object.entries(makers)) {
  for (let i = 0; i < 300; i++) console.log(name, make());
  await new Promise((resolve) => setTimeout(resolve, 2));
}
