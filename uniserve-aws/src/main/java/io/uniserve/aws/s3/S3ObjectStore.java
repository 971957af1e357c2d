package io.uniserve.aws.s3;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.DurableStore;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * Durable store in a bucket. A put is conditional: it succeeds only if the key is free. When an answer is lost and the repeated request
 * finds the key in use, the put's own id in the object's metadata shows that the first request has succeeded. Objects larger than a part
 * are uploaded in parts, and appear when the last part is there. Each object carries a checksum of its key and content. Thread-safe.
 *
 * <p>Paper: Uniserve, section 4.3, durable storage of checkpoints and logs.
 */
public final class S3ObjectStore implements DurableStore {
    /** Largest object that is read. Uniserve stores none that is larger. */
    private static final long OBJECT_BYTES_MAX = 1L << 30;

    private final S3Client client;
    private final S3Location location;
    private final S3Requests requests;
    private final MultipartUploader multipart;
    private final Supplier<String> ids;

    /** Takes ownership of the client. */
    S3ObjectStore(S3Client client, S3Location location, S3Requests requests, Supplier<String> ids) {
        this.client = client;
        this.location = location;
        this.requests = requests;
        this.multipart = new MultipartUploader(client, location, requests);
        this.ids = ids;
    }

    @Override
    public void put(String key, Bytes data) throws IOException {
        ObjectPut put = ObjectPut.of(location, key, data, ids.get());
        boolean stored =
                put.body().length > location.partBytes() ? multipart.upload(put, this::isStored) : putWhole(put);
        if (!stored && !isStored(put)) {
            throw new IOException("object " + key + " was deleted while it was stored");
        }
    }

    /**
     * Puts an object with one request. Returns false if the key is in use, perhaps by this put. A store may refuse a put and end the
     * connection while the body is sent, so after a request without an answer the key is looked up before the next one.
     */
    private boolean putWhole(ObjectPut put) {
        try {
            return requests.sendUnless(
                            () -> isStored(put),
                            "store " + put.key(),
                            "s3:PutObject",
                            () -> client.putObject(putRequest(put), put.part(0, put.body().length)),
                            S3ErrorMapper.PRECONDITION_FAILED)
                    .isPresent();
        } catch (S3Exception e) {
            return false;
        }
    }

    private PutObjectRequest putRequest(ObjectPut put) {
        PutObjectRequest.Builder request = PutObjectRequest.builder()
                .bucket(location.bucket())
                .key(put.fullKey())
                .ifNoneMatch("*")
                .metadata(put.metadata())
                .checksumSHA256(put.checksum(0, put.body().length));
        location.kmsKey()
                .ifPresent(key -> request.serverSideEncryption(ServerSideEncryption.AWS_KMS)
                        .ssekmsKeyId(key));
        return request.build();
    }

    /**
     * True if the key has this put's object, or one with the same content; false if it is free.
     *
     * @throws UniserveException INVALID_ARGUMENT if it has other content
     */
    private boolean isStored(ObjectPut put) {
        HeadObjectResponse found;
        try {
            found = requests.send(
                    "look up " + put.key(),
                    "s3:GetObject",
                    () -> client.headObject(
                            request -> request.bucket(location.bucket()).key(put.fullKey())),
                    S3ErrorMapper.NOT_FOUND);
        } catch (S3Exception e) {
            return false;
        }
        if (!put.matches(found.metadata())) {
            throw UniserveException.invalid("object " + put.key() + " exists with other bytes; objects never change");
        }
        if (found.contentLength() != put.body().length) {
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    "object " + put.key() + " is damaged: it has " + found.contentLength() + " of " + put.body().length
                            + " bytes");
        }
        return true;
    }

    @Override
    public Bytes get(String key) throws IOException {
        String fullKey = location.fullKey(key);
        GetObjectRequest request = GetObjectRequest.builder()
                .bucket(location.bucket())
                .key(fullKey)
                .build();
        try {
            byte[] all = requests.send(
                    "fetch " + key,
                    "s3:GetObject",
                    () -> client.getObject(
                            request, (response, in) -> read(key, response, new ResponseInputStream<>(response, in))),
                    S3ErrorMapper.NOT_FOUND);
            return ObjectEnvelope.decode(fullKey, all);
        } catch (S3Exception e) {
            throw new IOException("object " + key + " is absent from " + location.describe(), e);
        }
    }

    private static byte[] read(String key, GetObjectResponse response, ResponseInputStream<?> in) throws IOException {
        long length = response.contentLength();
        if (length > OBJECT_BYTES_MAX) {
            in.abort();
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    "object " + key + " is damaged: " + length + " bytes are more than " + OBJECT_BYTES_MAX);
        }
        byte[] all = in.readNBytes((int) length);
        if (all.length < length) {
            throw new EOFException("the answer ended after " + all.length + " of " + length + " bytes");
        }
        return all;
    }

    @Override
    public List<String> list(String prefix) {
        List<String> keys = new ArrayList<>();
        String start = location.fullKey(prefix);
        String[] token = new String[1];
        do {
            ListObjectsV2Request request = ListObjectsV2Request.builder()
                    .bucket(location.bucket())
                    .prefix(start)
                    .continuationToken(token[0])
                    .build();
            ListObjectsV2Response page =
                    requests.send("list " + prefix, "s3:ListBucket", () -> client.listObjectsV2(request));
            page.contents()
                    .forEach(object ->
                            keys.add(object.key().substring(location.prefix().length())));
            token[0] = Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null;
        } while (token[0] != null);
        return keys.stream().sorted().toList();
    }

    @Override
    public void delete(String key) {
        requests.send(
                "delete " + key,
                "s3:DeleteObject",
                () -> client.deleteObject(
                        request -> request.bucket(location.bucket()).key(location.fullKey(key))));
    }

    /**
     * Checks that the store can be used, with four small requests: it must store, and refuse a second put to a key in use.
     *
     * @throws UniserveException INVALID_CONFIGURATION or UNAUTHORIZED with the cause and the remedy
     */
    void check() {
        String key = "probe/" + ids.get();
        try {
            put(key, Bytes.utf8("1"));
            try {
                put(key, Bytes.utf8("2"));
                throw new UniserveException(
                        ErrorCode.INVALID_CONFIGURATION,
                        location.describe() + " ignores conditions of writes (If-None-Match), so two servers could"
                                + " replace each other's objects: use a store that has them");
            } catch (UniserveException e) {
                if (e.code() != ErrorCode.INVALID_ARGUMENT) {
                    throw e;
                }
            }
        } catch (IOException e) {
            throw new UniserveException(ErrorCode.IO, location.describe() + ": " + e.getMessage(), e);
        } finally {
            delete(key);
        }
    }

    @Override
    public String describe() {
        return location.describe();
    }

    @Override
    public void close() {
        client.close();
    }
}
