package io.uniserve.aws.s3;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.DurableStore;
import java.io.EOFException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.services.s3.model.ServerSideEncryption;

/**
 * Durable store in a bucket. A put is conditional: it succeeds only if the key is free. When an answer is lost and the repeated request
 * finds the key in use, the put's own id in the object's metadata shows that the first request has succeeded. Objects larger than a part
 * are uploaded in parts, and appear when the last part is there. Each object carries a checksum of its key and content. Thread-safe.
 *
 * <p>Paper: Uniserve, section 4.3, durable storage of checkpoints and logs.
 */
public final class S3ObjectStore implements DurableStore {
    private static final Logger LOG = LoggerFactory.getLogger(S3ObjectStore.class);
    /** Requests that run at the same time: a request waits for the store for most of its time. */
    private static final int CONCURRENCY = 16;

    private final S3Client client;
    private final S3Location location;
    private final S3Requests requests;
    private final MultipartUploader multipart;
    private final Supplier<String> ids;
    /** True once a put with a condition was seen to be refused. */
    private volatile boolean hasConditions;

    /** Takes ownership of the client. */
    S3ObjectStore(S3Client client, S3Location location, S3Requests requests, Supplier<String> ids) {
        this.client = client;
        this.location = location;
        this.requests = requests;
        this.multipart = new MultipartUploader(client, location, requests);
        this.ids = ids;
    }

    /** Stores without the check of conditions, for the examination of a store. */
    void skipCheckOfConditions() {
        hasConditions = true;
    }

    @Override
    public int concurrency() {
        return CONCURRENCY;
    }

    @Override
    public boolean isPricedPerRequest() {
        return true;
    }

    @Override
    public void put(String key, Bytes data) throws IOException {
        checkConditions();
        store(key, data);
    }

    private void store(String key, Bytes data) throws IOException {
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
        if (!Long.valueOf(put.body().length).equals(found.contentLength())) {
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    "object " + put.key() + " is damaged: it has " + found.contentLength() + " of " + put.body().length
                            + " bytes");
        }
        return true;
    }

    @Override
    public Bytes get(String key) throws IOException {
        GetObjectRequest request = GetObjectRequest.builder()
                .bucket(location.bucket())
                .key(location.fullKey(key))
                .build();
        try {
            byte[] all = requests.send(
                    "fetch " + key,
                    "s3:GetObject",
                    () -> client.getObject(
                            request, (response, in) -> read(key, response, new ResponseInputStream<>(response, in))),
                    S3ErrorMapper.NOT_FOUND);
            return ObjectEnvelope.decode(key, all);
        } catch (S3Exception e) {
            throw new IOException("object " + key + " is absent from " + location.describe(), e);
        }
    }

    private static byte[] read(String key, GetObjectResponse response, ResponseInputStream<?> in) throws IOException {
        Long length = response.contentLength();
        if (length == null) {
            throw new EOFException("the answer has no length");
        }
        if (length > ObjectPut.BYTES_MAX + ObjectEnvelope.HEADER_BYTES) {
            in.abort();
            throw new UniserveException(
                    ErrorCode.CORRUPT,
                    "object " + key + " is damaged: " + length + " bytes are more than " + ObjectPut.BYTES_MAX);
        }
        byte[] all = in.readNBytes(length.intValue());
        if (all.length < length) {
            throw new EOFException("the answer ended after " + all.length + " of " + length + " bytes");
        }
        return all;
    }

    @Override
    public List<String> list(String prefix) {
        List<String> keys = new ArrayList<>();
        forEach(prefix, (key, object) -> keys.add(key));
        return keys.stream().sorted().toList();
    }

    @Override
    public SortedMap<String, Long> sizes(String prefix) {
        SortedMap<String, Long> sizes = new TreeMap<>();
        forEach(prefix, (key, object) -> {
            Long size = object.size();
            if (size == null) {
                throw new UniserveException(
                        ErrorCode.IO, location.describe() + ": the list has no size of object " + key);
            }
            sizes.put(key, size);
        });
        return sizes;
    }

    /** Calls the visitor with each object below the prefix and its key in this store. */
    private void forEach(String prefix, BiConsumer<String, S3Object> visitor) {
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
                    .forEach(object -> visitor.accept(
                            object.key().substring(location.prefix().length()), object));
            token[0] = nextToken(prefix, page, token[0]);
        } while (token[0] != null);
    }

    @Override
    public void delete(String key) {
        requests.send(
                "delete " + key,
                "s3:DeleteObject",
                () -> client.deleteObject(
                        request -> request.bucket(location.bucket()).key(location.fullKey(key))));
    }

    /** Token of the next page, or null after the last one. A list that ends early must not look complete. */
    private @Nullable String nextToken(String prefix, ListObjectsV2Response page, @Nullable String last) {
        if (!Boolean.TRUE.equals(page.isTruncated())) {
            return null;
        }
        String next = page.nextContinuationToken();
        if (next == null || next.equals(last)) {
            throw new UniserveException(
                    ErrorCode.IO,
                    location.describe() + ": cannot list " + prefix
                            + ": a page is not the last one, and names no next one");
        }
        return next;
    }

    /**
     * Reads a page of the list of objects: bucket, region, endpoint and credentials are right.
     *
     * @throws UniserveException with the cause and the remedy
     */
    void checkAccess() {
        requests.send(
                "list objects",
                "s3:ListBucket",
                () -> client.listObjectsV2(request -> request.bucket(location.bucket())
                        .prefix(location.prefix())
                        .maxKeys(1)));
    }

    /**
     * Checks once, before the first put, that the store refuses a second put to a key in use.
     *
     * @throws UniserveException INVALID_CONFIGURATION if it does not; or why it cannot be seen
     */
    void checkConditions() throws IOException {
        if (hasConditions) {
            return;
        }
        String key = "probe/" + ids.get();
        store(key, Bytes.utf8("1"));
        boolean replaces = replaces(key);
        try {
            delete(key);
        } catch (UniserveException e) {
            LOG.warn("{}: object {} stays: {}", location.describe(), key, e.reason());
        }
        if (replaces) {
            throw new UniserveException(
                    ErrorCode.INVALID_CONFIGURATION,
                    location.describe() + " ignores conditions of writes (If-None-Match), so two servers could replace"
                            + " each other's objects: use a store that has them");
        }
        hasConditions = true;
    }

    private boolean replaces(String key) throws IOException {
        try {
            store(key, Bytes.utf8("2"));
            return true;
        } catch (UniserveException e) {
            if (e.code() == ErrorCode.INVALID_ARGUMENT) {
                return false;
            }
            throw e;
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
