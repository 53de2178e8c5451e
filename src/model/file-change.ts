/**
 * What a program did to the file system, as far as its own modules may depend on it. Paths as the program gave them.
 *
 * `opened`: for writing. `moved`, `copied`: a file, or a folder with all that is in it. `linked`: `path` points to `to`.
 * `entered`: the working folder is another one.
 */
export type FileChange =
  | { readonly what: 'opened'; readonly fd: number; readonly path: string; readonly flags: number }
  | { readonly what: 'wrote'; readonly fd: number; readonly bytes: Uint8Array; /** undefined: where the last write ended */ readonly position: number | undefined }
  | { readonly what: 'filled'; readonly path: string; /** a number, or as `fs.open` takes it */ readonly flags: number | string; readonly bytes: Uint8Array }
  | { readonly what: 'resized'; readonly fd: number; readonly length: number }
  | { readonly what: 'closed'; readonly fd: number }
  | { readonly what: 'made' | 'removed' | 'entered'; readonly path: string }
  | { readonly what: 'moved' | 'copied' | 'linked'; readonly path: string; readonly to: string };
