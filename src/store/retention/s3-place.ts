/** An archive in a bucket of S3, or of a service that speaks like it. Credentials are found as AWS's own tools find them. */
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { ConfigError, StoreUnavailableError } from '../../model/error.ts';
import type { Retention } from '../../model/retention.ts';
import { bufferFrom, processEnv } from '../../runtime/natives.ts';
import { absent, type ArchivePlace } from './archive-place.ts';

/** Where AWS's variables name no region: services of others have none. */
const NO_REGION = 'us-east-1';

/** @throws ConfigError */
export function s3Place(to: string, { endpoint, region }: NonNullable<Retention['s3']> = {}): ArchivePlace {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*?))?\/?$/.exec(to) ?? [];
  if (bucket === undefined) throw new ConfigError(`retention.to is "${to}"; a bucket is written s3://BUCKET or s3://BUCKET/PREFIX.`);
  const client = new S3Client({
    ...(endpoint !== undefined && { endpoint, forcePathStyle: true }),
    region: region ?? processEnv['AWS_REGION'] ?? processEnv['AWS_DEFAULT_REGION'] ?? NO_REGION,
    maxAttempts: 3,
  });
  const at = (name: string): { Bucket: string; Key: string } => ({ Bucket: bucket, Key: prefix === '' ? name : `${prefix}/${name}` });
  const why = (error: unknown): string => `${(error as Error).name}: ${(error as Error).message}`;
  return {
    to,
    async put(name, bytes) {
      try {
        await client.send(new PutObjectCommand({ ...at(name), Body: bytes, ContentLength: bytes.length, ContentType: 'application/octet-stream' }));
      } catch (error) {
        throw new StoreUnavailableError(`The archive ${to} cannot be written: ${why(error)}. The credentials are those of AWS's own tools (AWS_ACCESS_KEY_ID, a profile); retention.s3 names another endpoint or region.`);
      }
    },
    async get(name) {
      try {
        const { Body } = await client.send(new GetObjectCommand(at(name)));
        return bufferFrom((await Body?.transformToByteArray()) ?? []);
      } catch (error) {
        throw absent((error as Error).name === 'NoSuchKey', to, name, why(error));
      }
    },
    async remove(name) {
      try {
        await client.send(new DeleteObjectCommand(at(name)));
      } catch (error) {
        throw new StoreUnavailableError(`${name} cannot be removed from the archive ${to}: ${why(error)}.`);
      }
    },
  };
}
