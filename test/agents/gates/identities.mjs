// Becomes who it is.
const [uid, gid] = [process.getuid(), process.getgid()];
const become = { setuid: [uid], seteuid: [uid], setgid: [gid], setegid: [gid], setgroups: [process.getgroups()], initgroups: [uid, gid] };
for (const [name, args] of Object.entries(become)) {
  try {
    console.log(name, process[name](...args));
  } catch ({ code }) {
    console.log(name, code);
  }
}
