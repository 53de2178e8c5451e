/** Where the texts of a JSON value lie in its bytes. */
export interface JsonString {
  /** Names and indexes that lead to it. */
  readonly place: string;
  /** Between the quotes, still escaped. */
  readonly from: number;
  readonly to: number;
}

interface Container {
  readonly isList: boolean;
  index: number;
  name: string;
  /** The next text is the name of a member. */
  atName: boolean;
}

const [QUOTE, BACKSLASH, COMMA, COLON, OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [...'"\\,:{}[]'].map((sign) => sign.charCodeAt(0)) as [number, number, number, number, number, number, number, number];

/** @returns the texts between two places of `bytes`; all of it as one text where no JSON value begins there */
export function* stringsIn(bytes: Buffer, from: number, to: number): Generator<JsonString> {
  if (bytes[from] !== OPEN && bytes[from] !== OPEN_LIST) {
    yield { place: '', from, to };
    return;
  }
  const containers: Container[] = [];
  for (let at = from; at < to; at++) {
    const container = containers.at(-1);
    switch (bytes[at]) {
      case OPEN:
      case OPEN_LIST:
        containers.push({ isList: bytes[at] === OPEN_LIST, index: 0, name: '', atName: bytes[at] === OPEN });
        break;
      case CLOSE:
      case CLOSE_LIST:
        containers.pop();
        break;
      case COMMA:
        if (container) container.index++;
        if (container && !container.isList) container.atName = true;
        break;
      case COLON:
        if (container) container.atName = false;
        break;
      case QUOTE: {
        const end = endOf(bytes, at + 1, to);
        if (container?.atName) container.name = bytes.latin1Slice(at + 1, end);
        else yield { place: containers.map(({ isList, index, name }) => (isList ? String(index) : name)).join('.'), from: at + 1, to: end };
        at = end;
        break;
      }
      default:
    }
  }
}

function endOf(bytes: Buffer, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    if (bytes[at] === BACKSLASH) at++;
    else if (bytes[at] === QUOTE) return at;
  }
  return to;
}
