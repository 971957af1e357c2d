package io.uniserve.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.aws.s3.TestingS3Server.Fault;
import io.uniserve.aws.s3.TestingS3Server.Stored;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.StoreReport;
import io.uniserve.runtime.store.StoreReport.Check;
import io.uniserve.runtime.store.StoreReport.Verdict;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import software.amazon.awssdk.services.s3.S3Client;

/** The store against a scripted server: lost answers, conflicts, rejections, damaged objects, and what operators get wrong. */
@ExtendWith(TestingCredentials.class)
class S3ObjectStoreTest extends DurableStoreContract {
    private static final int LARGE = (5 << 20) + 1;

    private final List<Long> pauses = new ArrayList<>();
    private final List<S3Client> clients = new ArrayList<>();
    private TestingS3Server server;
    private S3ObjectStore store;

    @BeforeEach
    void start() throws IOException {
        server = new TestingS3Server();
        store = store(server.location("p"));
        store.checkConditions();
        server.requests.clear();
    }

    @AfterEach
    void stop() {
        clients.forEach(S3Client::close);
        server.close();
    }

    @Override
    String location(String prefix) {
        return server.location(prefix);
    }

    private S3ObjectStore store(String text) {
        S3Location location = S3Location.parse(text);
        S3Client client = S3StoreProvider.client(location);
        clients.add(client);
        int[] number = new int[1];
        return new S3ObjectStore(client, location, requests(location), () -> "put-" + ++number[0]);
    }

    private S3Requests requests(S3Location location) {
        return new S3Requests(new S3ErrorMapper(location), new RequestRateLimiter(() -> 0), pauses::add, new Random(1));
    }

    private long count(String start) {
        return server.requests.stream().filter(line -> line.startsWith(start)).count();
    }

    private static void fails(ThrowingCallable call, ErrorCode code, String... texts) {
        assertThatThrownBy(call).isInstanceOfSatisfying(UniserveException.class, e -> {
            assertThat(e.code()).as(e.toString()).isEqualTo(code);
            assertThat(e.getMessage()).contains(texts);
        });
    }

    @Test
    void aPutWhoseAnswerIsLostHasSucceeded() throws IOException {
        server.next("PUT", Fault.LOST_ANSWER);
        store.put("a", Bytes.utf8("1"));
        assertThat(count("PUT")).as("the look-up shows that it has succeeded").isEqualTo(1);
        assertThat(store.get("a").utf8()).isEqualTo("1");
        // The second put of the same content has another id, and finds the same digest.
        store.put("a", Bytes.utf8("1"));
        server.next("PUT", Fault.LOST_ANSWER, Fault.LOST_ANSWER, Fault.SERVER_ERROR, Fault.LOST_REQUEST);
        store.put("b", Bytes.utf8("2"));
        assertThat(store.get("b").utf8()).isEqualTo("2");
    }

    @Test
    void aPutWhoseAnswerIsLostDoesNotHideAnothersObject() throws IOException {
        store.put("a", Bytes.utf8("theirs"));
        server.next("PUT", Fault.LOST_REQUEST);
        fails(() -> store.put("a", Bytes.utf8("mine")), ErrorCode.INVALID_ARGUMENT, "exists with other bytes");
        assertThat(store.get("a").utf8()).isEqualTo("theirs");
    }

    @Test
    void aConflictIsNoObject() throws IOException {
        server.next("PUT", Fault.CONFLICT, Fault.CONFLICT);
        store.put("a", Bytes.utf8("1"));
        assertThat(store.get("a").utf8()).isEqualTo("1");
        assertThat(count("HEAD")).isZero();
    }

    @Test
    void everyRequestOfALargeObjectMayFail() throws IOException {
        Bytes large = random(LARGE, 7);
        for (Fault fault :
                List.of(Fault.LOST_REQUEST, Fault.LOST_ANSWER, Fault.SLOW_DOWN, Fault.SERVER_ERROR, Fault.CONFLICT)) {
            for (String method : List.of("POST", "PUT")) {
                for (int at = 0; at < 3; at++) {
                    Fault[] script = new Fault[at + 1];
                    Arrays.fill(script, Fault.NONE);
                    script[at] = fault;
                    server.next(method, script);
                    String key = "large/"
                            + fault.name().toLowerCase(java.util.Locale.ROOT).replace('_', '-') + "/"
                            + method.toLowerCase(java.util.Locale.ROOT) + "/" + at;
                    store.put(key, large);
                    assertThat(store.get(key)).as(key).isEqualTo(large);
                }
            }
        }
        // A start whose answer was lost is the only kind of upload that no one can end at once.
        assertThat(server.uploads).hasSize(1);
    }

    @Test
    void aLargeObjectDoesNotReplaceAnother() throws IOException {
        store.put("large", random(LARGE, 1));
        fails(() -> store.put("large", random(LARGE, 2)), ErrorCode.INVALID_ARGUMENT, "exists with other bytes");
        assertThat(store.get("large")).isEqualTo(random(LARGE, 1));
        assertThat(server.uploads).isEmpty();
    }

    @Test
    void rejectionsAreRepeatedWithGrowingPausesAndAnEnd() {
        server.faults = line -> line.startsWith("PUT") ? Fault.SLOW_DOWN : Fault.NONE;
        fails(() -> store.put("a", Bytes.utf8("1")), ErrorCode.UNAVAILABLE, "cannot store a", "SlowDown");
        assertThat(count("PUT")).isEqualTo(8);
        assertThat(pauses).hasSizeGreaterThan(7);
        assertThat(server.objects).isEmpty();
    }

    @Test
    void anAnswerThatEndsEarlyIsReadAgain() throws IOException {
        store.put("a", random(100_000, 3));
        server.next("GET", Fault.HALF_ANSWER, Fault.LOST_ANSWER, Fault.SERVER_ERROR);
        assertThat(store.get("a")).isEqualTo(random(100_000, 3));
        server.next("GET", Fault.HALF_ANSWER);
        assertThat(store.list("")).containsExactly("a");
    }

    @Test
    void damagedAndSwappedObjectsAreFound() throws IOException {
        store.put("a", Bytes.utf8("content of a"));
        store.put("b", Bytes.utf8("content of b"));
        Stored a = server.stored("p/a");
        Stored b = server.stored("p/b");
        for (int at = 0; at < a.body().length; at++) {
            byte[] bad = a.body().clone();
            bad[at] ^= (byte) (1 << at % 8);
            server.objects.put("p/a", new Stored(bad, a.metadata()));
            fails(() -> store.get("a"), ErrorCode.CORRUPT, "damaged");
        }
        for (int size : List.of(0, 10, a.body().length - 1)) {
            server.objects.put("p/a", new Stored(Arrays.copyOf(a.body(), size), a.metadata()));
            fails(() -> store.get("a"), ErrorCode.CORRUPT, "damaged");
            fails(() -> store.put("a", Bytes.utf8("content of a")), ErrorCode.CORRUPT, "damaged");
        }
        server.objects.put("p/a", b);
        fails(() -> store.get("a"), ErrorCode.CORRUPT, "stored under another key");
    }

    @Test
    void operatorsMistakesAreNamed() {
        server.faults = line -> Fault.DENIED;
        fails(() -> store.put("a", Bytes.EMPTY), ErrorCode.UNAUTHORIZED, "permit s3:PutObject", "s3://bucket/p/");
        fails(() -> store.get("a"), ErrorCode.UNAUTHORIZED, "permit s3:GetObject");
        fails(() -> store.list(""), ErrorCode.UNAUTHORIZED, "permit s3:ListBucket");
        fails(() -> store.delete("a"), ErrorCode.UNAUTHORIZED, "permit s3:DeleteObject");
        server.faults = line -> Fault.SKEWED;
        fails(() -> store.list(""), ErrorCode.INVALID_CONFIGURATION, "clock of this machine");
        server.faults = line -> Fault.OTHER_REGION;
        fails(() -> store.list(""), ErrorCode.INVALID_CONFIGURATION, "region eu-west-3", "?region=eu-west-3");
        server.faults = line -> Fault.NOT_S3;
        fails(() -> store.list(""), ErrorCode.INVALID_CONFIGURATION, "does not answer like S3");
        server.faults = line -> Fault.NONE;
        S3ObjectStore other = store(server.location("p").replace("s3://bucket/", "s3://missing/"));
        fails(() -> other.list(""), ErrorCode.INVALID_CONFIGURATION, "NoSuchBucket", "create the bucket");
        fails(() -> other.get("a"), ErrorCode.INVALID_CONFIGURATION, "create the bucket");
        try {
            TestingCredentials.set("wrong");
            S3ObjectStore stranger = store(server.location("p"));
            fails(() -> stranger.list(""), ErrorCode.UNAUTHORIZED, "InvalidAccessKeyId", "credentials");
        } finally {
            TestingCredentials.set(TestingS3Server.ACCESS_KEY);
        }
        server.close();
        fails(() -> store.list(""), ErrorCode.UNAVAILABLE, "no answer");
    }

    @Test
    void aStoreWithoutConditionsIsRefused() {
        server.ignoresConditions = true;
        store = store(server.location("p"));
        for (int i = 0; i < 2; i++) {
            fails(
                    () -> store.put("a", Bytes.utf8("1")),
                    ErrorCode.INVALID_CONFIGURATION,
                    "If-None-Match",
                    "use a store that has them");
            assertThat(server.objects)
                    .as("the probe is deleted, and nothing is stored")
                    .isEmpty();
        }
        server.keepsVersions = true;
        StoreReport report = new S3StoreProvider().analyse(server.location("p"));
        assertThat(report.isUsable()).isFalse();
        assertThat(report.checks())
                .filteredOn(check -> check.verdict() != Verdict.OK)
                .extracting(Check::name)
                .containsExactly(
                        "conditional put",
                        "concurrent conditional puts",
                        "conditional replacement",
                        "upload in parts",
                        "versions");
        assertThat(server.objects).as("nothing stays").isEmpty();
    }

    @Test
    void aStoreThatDoesNotAnswerIsOpenedAndUsedLater() throws IOException {
        server.faults = line -> Fault.SERVER_ERROR;
        S3ObjectStore opened = S3StoreProvider.checked(store(server.location("p")));
        fails(() -> opened.put("a", Bytes.EMPTY), ErrorCode.UNAVAILABLE, "InternalError");
        server.faults = line -> Fault.NONE;
        opened.put("a", Bytes.utf8("1"));
        assertThat(opened.get("a").utf8()).isEqualTo("1");
        server.faults = line -> Fault.DENIED;
        fails(() -> new S3StoreProvider().open(server.location("p")), ErrorCode.UNAUTHORIZED, "permit s3:ListBucket");
    }

    @Test
    void aListThatEndsEarlyIsNotComplete() throws IOException {
        store.put("a", Bytes.EMPTY);
        server.losesTokens = true;
        fails(() -> store.list(""), ErrorCode.IO, "names no next one");
    }

    @Test
    void theExaminationEndsWithoutAccess() {
        server.faults = line -> Fault.DENIED;
        StoreReport report = new S3StoreProvider().analyse(server.location("p"));
        assertThat(report.isUsable()).isFalse();
        assertThat(report.checks().get(0).text()).contains("permit s3:PutObject");
        assertThat(report.checks()).hasSize(1);
    }
}
