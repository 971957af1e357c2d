package io.uniserve.aws.s3;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.StoreReport;
import io.uniserve.runtime.store.StoreReport.Check;
import io.uniserve.runtime.store.StoreReport.Verdict;
import java.io.IOException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.BucketVersioningStatus;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Examination of a store: each property that Uniserve relies on, with small objects below {@code analysis/} of the location, which are
 * deleted afterwards. Without access it stops after the first check. Not thread-safe.
 */
final class S3StoreAnalyser {
    private static final int LISTED = 25;
    private static final int PAGE = 10;
    private static final int WRITERS = 8;
    private static final int PART_BYTES = 5 << 20;
    private static final Duration SKEW_MAX = Duration.ofMinutes(5);

    private final S3Client client;
    private final S3Location location;
    private final S3Requests requests;
    private final S3ObjectStore store;
    private final Supplier<String> ids;
    private final Supplier<Instant> now;
    private final String folder;
    private final List<Check> checks = new ArrayList<>();

    /**
     * Examination of a store.
     *
     * @param ids random ids
     * @param now wall time of this machine
     */
    S3StoreAnalyser(
            S3Client client, S3Location location, S3Requests requests, Supplier<String> ids, Supplier<Instant> now) {
        this.client = client;
        this.location = location;
        this.requests = requests;
        this.ids = ids;
        this.now = now;
        this.folder = "analysis/" + ids.get() + "/";
        this.store = new S3ObjectStore(client, location, requests, ids);
        store.skipCheckOfConditions();
    }

    /** A check returns what it has seen, or throws. */
    private interface Property {
        String check() throws IOException, InterruptedException;
    }

    StoreReport run() {
        check("access", Verdict.FAILED, this::access);
        if (checks.get(0).verdict() == Verdict.OK) {
            try {
                checkAll();
            } finally {
                cleanUp();
            }
        }
        return new StoreReport(location.describe(), checks);
    }

    private void checkAll() {
        check("read after write", Verdict.FAILED, this::readAfterWrite);
        check("empty object", Verdict.FAILED, this::emptyObject);
        check("conditional put", Verdict.FAILED, this::conditionalPut);
        check("concurrent conditional puts", Verdict.FAILED, this::concurrentPuts);
        check("conditional replacement", Verdict.WARNING, this::conditionalReplacement);
        check("complete listing", Verdict.FAILED, this::listing);
        check("deletion", Verdict.FAILED, this::deletion);
        check("ranges", Verdict.WARNING, this::ranges);
        check("upload in parts", Verdict.FAILED, this::parts);
        check("aborted upload", Verdict.FAILED, this::abortedUpload);
        check("wrong credentials", Verdict.FAILED, this::wrongCredentials);
        check("clock", Verdict.WARNING, this::clock);
        check("versions", Verdict.WARNING, this::versions);
    }

    private void check(String name, Verdict otherwise, Property property) {
        try {
            checks.add(new Check(name, Verdict.OK, property.check()));
        } catch (UniserveException e) {
            checks.add(new Check(name, otherwise, e.reason()));
        } catch (SdkException | DateTimeException e) {
            checks.add(new Check(name, otherwise, String.valueOf(e.getMessage())));
        } catch (IOException e) {
            checks.add(new Check(name, otherwise, String.valueOf(e.getMessage())));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UniserveException(ErrorCode.CANCELLED, "interrupted", e);
        }
    }

    private void cleanUp() {
        try {
            store.list(folder).forEach(store::delete);
        } catch (UniserveException e) {
            checks.add(new Check("clean-up", Verdict.WARNING, "objects below " + folder + " stay: " + e.reason()));
        }
    }

    private String access() throws IOException {
        store.put(folder + "first", Bytes.utf8("1"));
        return "an object is stored below s3://" + location.bucket() + "/" + location.fullKey(folder);
    }

    private String readAfterWrite() throws IOException {
        for (int i = 0; i < PAGE; i++) {
            Bytes data = Bytes.wrap(random(1 << 12, i));
            store.put(folder + "read/" + i, data);
            require(store.get(folder + "read/" + i).equals(data), "an object differs from what was stored");
            require(store.list(folder + "read/").size() == i + 1, "a new object is not listed at once");
        }
        return "new objects are read and listed at once";
    }

    private static byte[] random(int size, int seed) {
        byte[] data = new byte[size];
        new java.util.Random(seed).nextBytes(data);
        return data;
    }

    private static void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new UniserveException(ErrorCode.UNSUPPORTED, otherwise);
        }
    }

    private String emptyObject() throws IOException {
        client.putObject(request -> request.bucket(location.bucket()).key(key("empty")), RequestBody.empty());
        byte[] all = client.getObjectAsBytes(
                        request -> request.bucket(location.bucket()).key(key("empty")))
                .asByteArray();
        require(all.length == 0, "an empty object has " + all.length + " bytes");
        return "an empty object comes back";
    }

    private String key(String name) {
        return location.fullKey(folder + name);
    }

    private String conditionalPut() throws IOException {
        store.put(folder + "once", Bytes.utf8("1"));
        require(
                !putIfAbsent("once", "2"),
                "a put with If-None-Match replaces an object: two servers would overwrite" + " each other's objects");
        require(store.get(folder + "once").utf8().equals("1"), "a refused put has changed the object");
        return "a put to a key in use is refused";
    }

    private boolean putIfAbsent(String name, String text) {
        try {
            requests.send(
                    "store " + name,
                    "s3:PutObject",
                    () -> client.putObject(
                            request -> request.bucket(location.bucket())
                                    .key(key(name))
                                    .ifNoneMatch("*"),
                            RequestBody.fromString(text)),
                    S3ErrorMapper.PRECONDITION_FAILED);
            return true;
        } catch (S3Exception e) {
            return false;
        }
    }

    /** Puts an object as a server does, so that a lost answer is no refusal. */
    private boolean isStored(String name, String text) throws IOException {
        try {
            store.put(folder + name, Bytes.utf8(text));
            return true;
        } catch (UniserveException e) {
            require(e.code() == ErrorCode.INVALID_ARGUMENT, e.reason());
            return false;
        }
    }

    private String concurrentPuts() throws InterruptedException {
        ExecutorService pool = Executors.newFixedThreadPool(WRITERS);
        try {
            for (int round = 0; round < 3; round++) {
                String name = "race/" + round;
                List<Future<Boolean>> writers = new ArrayList<>();
                for (int writer = 0; writer < WRITERS; writer++) {
                    String text = "writer " + writer;
                    writers.add(pool.submit(() -> isStored(name, text)));
                }
                int stored = 0;
                for (Future<Boolean> writer : writers) {
                    stored += writer.get() ? 1 : 0;
                }
                require(stored == 1, stored + " of " + WRITERS + " concurrent puts of one key succeeded");
            }
            return "of " + WRITERS + " concurrent puts of a key one succeeds";
        } catch (ExecutionException e) {
            throw new UniserveException(ErrorCode.INTERNAL, String.valueOf(e.getCause()), e);
        } finally {
            pool.shutdownNow();
        }
    }

    private String conditionalReplacement() {
        String first = client.putObject(
                        request -> request.bucket(location.bucket()).key(key("replaced")), RequestBody.fromString("1"))
                .eTag();
        client.putObject(
                request ->
                        request.bucket(location.bucket()).key(key("replaced")).ifMatch(first),
                RequestBody.fromString("2"));
        try {
            client.putObject(
                    request -> request.bucket(location.bucket())
                            .key(key("replaced"))
                            .ifMatch(first),
                    RequestBody.fromString("3"));
        } catch (S3Exception e) {
            require(
                    e.statusCode() == S3ErrorMapper.PRECONDITION_FAILED,
                    "a put with an old ETag ends with status " + e.statusCode());
            return "a put with an old ETag is refused";
        }
        throw new UniserveException(
                ErrorCode.UNSUPPORTED, "a put with an old ETag replaces the object; Uniserve needs none");
    }

    private String listing() throws IOException {
        TreeSet<String> expected = new TreeSet<>();
        for (int i = 0; i < LISTED; i++) {
            store.put(folder + "list/" + i, Bytes.EMPTY);
            expected.add(key("list/" + i));
        }
        List<String> found = new ArrayList<>();
        String token = null;
        do {
            String from = token;
            ListObjectsV2Response page = client.listObjectsV2(request -> request.bucket(location.bucket())
                    .prefix(key("list/"))
                    .maxKeys(PAGE)
                    .continuationToken(from));
            page.contents().forEach(object -> found.add(object.key()));
            token = Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null;
        } while (token != null && found.size() <= LISTED);
        require(
                found.equals(List.copyOf(expected)),
                "a list in pages has " + found.size() + " of " + LISTED + " objects, or not in order");
        return LISTED + " objects in pages of " + PAGE + ", complete and in order";
    }

    private String deletion() throws IOException {
        store.put(folder + "gone", Bytes.utf8("1"));
        store.delete(folder + "gone");
        store.delete(folder + "gone");
        require(store.list(folder + "gone").isEmpty(), "a deleted object is listed");
        try {
            store.get(folder + "gone");
        } catch (IOException e) {
            return "a deleted object is gone at once; a second deletion is no error";
        }
        throw new UniserveException(ErrorCode.UNSUPPORTED, "a deleted object can be read");
    }

    private String ranges() {
        client.putObject(
                request -> request.bucket(location.bucket()).key(key("range")), RequestBody.fromString("0123456789"));
        String part = client.getObjectAsBytes(request ->
                        request.bucket(location.bucket()).key(key("range")).range("bytes=3-5"))
                .asUtf8String();
        require(part.equals("345"), "bytes 3 to 5 of 0123456789 are \"" + part + "\"");
        return "parts of objects can be read";
    }

    private String parts() throws IOException {
        S3Location small = new S3Location(
                location.bucket(),
                location.prefix(),
                location.region(),
                location.endpoint(),
                location.pathStyle(),
                location.kmsKey(),
                PART_BYTES);
        S3ObjectStore inParts = new S3ObjectStore(client, small, requests, ids);
        inParts.skipCheckOfConditions();
        Bytes large = Bytes.wrap(random(2 * PART_BYTES + 1, 1));
        inParts.put(folder + "large", large);
        require(store.get(folder + "large").equals(large), "an object in parts differs from what was stored");
        try {
            inParts.put(folder + "large", Bytes.wrap(random(2 * PART_BYTES + 1, 2)));
        } catch (UniserveException e) {
            require(e.code() == ErrorCode.INVALID_ARGUMENT, e.reason());
            return "an object of three parts comes back, and a second one does not replace it";
        }
        throw new UniserveException(
                ErrorCode.UNSUPPORTED, "the completion of an upload ignores If-None-Match: use part-mib=1024");
    }

    private String abortedUpload() {
        String id = client.createMultipartUpload(
                        request -> request.bucket(location.bucket()).key(key("aborted")))
                .uploadId();
        String tag = client.uploadPart(
                        request -> request.bucket(location.bucket())
                                .key(key("aborted"))
                                .uploadId(id)
                                .partNumber(1),
                        RequestBody.fromString("1"))
                .eTag();
        client.abortMultipartUpload(
                request -> request.bucket(location.bucket()).key(key("aborted")).uploadId(id));
        try {
            client.completeMultipartUpload(request -> request.bucket(location.bucket())
                    .key(key("aborted"))
                    .uploadId(id)
                    .multipartUpload(
                            upload -> upload.parts(part -> part.partNumber(1).eTag(tag))));
        } catch (S3Exception e) {
            require(e.statusCode() == S3ErrorMapper.NOT_FOUND, "an aborted upload ends with status " + e.statusCode());
            require(store.list(folder + "aborted").isEmpty(), "an aborted upload has made an object");
            return "an aborted upload makes no object";
        }
        throw new UniserveException(ErrorCode.UNSUPPORTED, "an aborted upload was completed");
    }

    private String wrongCredentials() {
        try {
            client.listObjectsV2(request -> request.bucket(location.bucket())
                    .maxKeys(1)
                    .overrideConfiguration(override -> override.credentialsProvider(
                            () -> AwsBasicCredentials.create("uniserve-wrong", "uniserve-wrong"))));
        } catch (S3Exception e) {
            require(e.statusCode() < 500, "wrong credentials end with status " + e.statusCode());
            return "wrong credentials are rejected with status " + e.statusCode();
        }
        throw new UniserveException(ErrorCode.UNSUPPORTED, "the store lists objects for wrong credentials");
    }

    private String clock() {
        Map<String, List<String>> headers = client.listObjectsV2(
                        request -> request.bucket(location.bucket()).maxKeys(1))
                .sdkHttpResponse()
                .headers();
        List<String> dates = headers.getOrDefault("Date", List.of());
        require(!dates.isEmpty(), "the store's answers have no date");
        Instant there = ZonedDateTime.parse(dates.get(0), DateTimeFormatter.RFC_1123_DATE_TIME)
                .toInstant();
        Duration skew = Duration.between(there, now.get());
        require(
                skew.abs().compareTo(SKEW_MAX) < 0,
                "the clocks of this machine and the store differ by " + skew.toSeconds()
                        + " s: correct this machine's");
        return "the clocks differ by " + skew.toSeconds() + " s";
    }

    private String versions() {
        BucketVersioningStatus status = client.getBucketVersioning(request -> request.bucket(location.bucket()))
                .status();
        require(
                status != BucketVersioningStatus.ENABLED,
                "the bucket keeps versions of deleted objects: add a lifecycle rule that expires noncurrent versions");
        return "the bucket keeps no versions";
    }
}
