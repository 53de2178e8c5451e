import type { StepError } from '../step.ts';

/** Errors of WASI preview1 by their numbers; 0 is none. */
const ERRORS = [
  'SUCCESS', '2BIG', 'ACCES', 'ADDRINUSE', 'ADDRNOTAVAIL', 'AFNOSUPPORT', 'AGAIN', 'ALREADY', 'BADF', 'BADMSG', 'BUSY', 'CANCELED', 'CHILD', 'CONNABORTED', 'CONNREFUSED', 'CONNRESET', 'DEADLK', 'DESTADDRREQ', 'DOM', 'DQUOT',
  'EXIST', 'FAULT', 'FBIG', 'HOSTUNREACH', 'IDRM', 'ILSEQ', 'INPROGRESS', 'INTR', 'INVAL', 'IO', 'ISCONN', 'ISDIR', 'LOOP', 'MFILE', 'MLINK', 'MSGSIZE', 'MULTIHOP', 'NAMETOOLONG', 'NETDOWN', 'NETRESET',
  'NETUNREACH', 'NFILE', 'NOBUFS', 'NODEV', 'NOENT', 'NOEXEC', 'NOLCK', 'NOLINK', 'NOMEM', 'NOMSG', 'NOPROTOOPT', 'NOSPC', 'NOSYS', 'NOTCONN', 'NOTDIR', 'NOTEMPTY', 'NOTRECOVERABLE', 'NOTSOCK', 'NOTSUP', 'NOTTY',
  'NXIO', 'OVERFLOW', 'OWNERDEAD', 'PERM', 'PIPE', 'PROTO', 'PROTONOSUPPORT', 'PROTOTYPE', 'RANGE', 'ROFS', 'SPIPE', 'SRCH', 'STALE', 'TIMEDOUT', 'TXTBSY', 'XDEV', 'NOTCAPABLE',
];

export function wasiError(errno: number, call: string): StepError {
  const code = `E${ERRORS[errno] ?? errno}`;
  return { code, message: `${code}, ${call}`, syscall: call };
}
