/** Private state on objects that are not ours, invisible to reflection and faster than a WeakMap (private fields by return override). */
class Target {
  constructor(object: object) {
    // Returning another object is the point: the private field of the subclass lands on it.
    return object as this;
  }
}

export interface Stash<T> {
  get(object: object): T | undefined;
  set(object: object, value: T): void;
  /** As `set`, for an object that has none yet. */
  add(object: object, value: T): void;
}

export function createStash<T>(): Stash<T> {
  class Field extends Target {
    #value: T;
    constructor(object: object, value: T) {
      super(object);
      this.#value = value;
    }
    static get(object: object): T | undefined {
      return #value in object ? object.#value : undefined;
    }
    static set(object: object, value: T): void {
      if (#value in object) object.#value = value;
      else new Field(object, value);
    }
    static add(object: object, value: T): void {
      new Field(object, value);
    }
  }
  return Field;
}
