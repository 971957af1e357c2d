package io.uniserve.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.aws.s3.BuggyS3Client.Bug;
import io.uniserve.aws.s3.TestingS3Server.Fault;
import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Servers of two clusters that write into one bucket at random. Requests fail before or after they are done, conflict, are slowed down, and
 * take effect once more later, also after a deletion. No object may be harmed, and no result may be wrong. Planted bugs are found.
 */
@ExtendWith(TestingCredentials.class)
class SharedBucketTest {
    private static final int SEEDS = Boolean.getBoolean("uniserve.test.full") ? 1_000 : 20;
    private static final int STEPS = 40;
    private static final int KEYS = 12;

    /** Locations of the writers: two servers of one cluster, and one of another cluster, whose keys have the same names. */
    private static final List<String> PREFIXES = List.of("one", "one", "two");

    private static final List<Fault> FAULTS = List.of(
            Fault.LOST_REQUEST,
            Fault.LOST_ANSWER,
            Fault.CONFLICT,
            Fault.SERVER_ERROR,
            Fault.SLOW_DOWN,
            Fault.HALF_ANSWER,
            Fault.REPEATED);

    /** One run of a seed. */
    private static final class Run implements AutoCloseable {
        private final Random random;
        private final TestingS3Server server = new TestingS3Server();
        private final List<S3ObjectStore> writers = new ArrayList<>();
        /** What each object must contain, by its full key; only for puts whose result was success. */
        private final TreeMap<String, Bytes> stored = new TreeMap<>();
        /** Everything that was ever sent for a full key. */
        private final TreeMap<String, TreeSet<String>> sent = new TreeMap<>();

        private final TreeSet<String> deleted = new TreeSet<>();
        private int texts;

        Run(long seed, Bug bug) throws IOException {
            random = new Random(seed);
            int[] ids = new int[1];
            for (String prefix : PREFIXES) {
                S3Location location = S3Location.parse(server.location(prefix));
                S3Requests requests = new S3Requests(
                        new S3ErrorMapper(location), new RequestRateLimiter(() -> 0), nanos -> {}, new Random(seed));
                S3ObjectStore store = new S3ObjectStore(
                        new BuggyS3Client(S3StoreProvider.client(location), bug),
                        location,
                        requests,
                        () -> "put-" + ++ids[0]);
                store.skipCheckOfConditions();
                writers.add(store);
            }
            server.faults = line -> random.nextInt(3) == 0 ? FAULTS.get(random.nextInt(FAULTS.size())) : Fault.NONE;
        }

        @Override
        public void close() {
            writers.forEach(S3ObjectStore::close);
            server.close();
        }

        /** Runs all steps. Returns the first wrong result. */
        Optional<String> run() throws IOException {
            for (int step = 0; step < STEPS; step++) {
                int writer = random.nextInt(writers.size());
                String key = "k" + random.nextInt(KEYS);
                String full = PREFIXES.get(writer) + "/" + key;
                Optional<String> wrong = Optional.empty();
                if (random.nextInt(8) == 0) {
                    server.repeatLate();
                } else if (random.nextInt(8) == 0) {
                    delete(writer, key, full);
                } else if (!deleted.contains(full)) { // no key is used again
                    wrong = put(writer, key, full);
                }
                wrong = wrong.or(this::harmed);
                if (wrong.isPresent()) {
                    return wrong;
                }
            }
            server.repeatLate();
            server.faults = line -> Fault.NONE;
            return harmed().or(this::unlisted);
        }

        private Optional<String> put(int writer, String key, String full) throws IOException {
            Bytes data = Bytes.utf8(
                    random.nextInt(5) == 0 && sent.containsKey(full)
                            ? sent.get(full).first()
                            : "text " + ++texts);
            sent.computeIfAbsent(full, unused -> new TreeSet<>()).add(data.utf8());
            try {
                writers.get(writer).put(key, data);
            } catch (UniserveException e) {
                String now = content(full);
                return e.code() == ErrorCode.INVALID_ARGUMENT && data.utf8().equals(now)
                        ? Optional.of(full + " has the writer's own bytes, and the put failed: " + e.getMessage())
                        : Optional.empty();
            }
            Bytes before = stored.put(full, data);
            return before != null && !before.equals(data)
                    ? Optional.of(full + " was stored twice: " + before.utf8() + ", then " + data.utf8())
                    : Optional.empty();
        }

        private void delete(int writer, String key, String full) {
            stored.remove(full);
            deleted.add(full);
            try {
                writers.get(writer).delete(key);
            } catch (UniserveException e) {
                assertThat(e.code().retriable()).as(e.toString()).isTrue();
            }
        }

        private String content(String full) {
            TestingS3Server.Stored found = server.objects.get(full);
            return found == null
                    ? "absent"
                    : ObjectEnvelope.decode(full.substring(4), found.body()).utf8();
        }

        /** An object that is not what its writer stored; empty if there is none. */
        private Optional<String> harmed() {
            for (var entry : stored.entrySet()) {
                String now = content(entry.getKey());
                if (!now.equals(entry.getValue().utf8())) {
                    return Optional.of(entry.getKey() + " was stored as "
                            + entry.getValue().utf8() + ", and is " + now);
                }
            }
            for (String full : server.objects.keySet()) {
                if (!sent.getOrDefault(full, new TreeSet<>()).contains(content(full))) {
                    return Optional.of(full + " has bytes that no writer of this key has sent");
                }
            }
            return Optional.empty();
        }

        private Optional<String> unlisted() {
            for (int writer = 0; writer < writers.size(); writer++) {
                String prefix = PREFIXES.get(writer) + "/";
                List<String> keys = server.objects.keySet().stream()
                        .filter(full -> full.startsWith(prefix))
                        .map(full -> full.substring(prefix.length()))
                        .toList();
                if (!writers.get(writer).list("").equals(keys)) {
                    return Optional.of("the list of " + prefix + " is not complete");
                }
            }
            return Optional.empty();
        }
    }

    private static Optional<String> run(long seed, Bug bug) throws IOException {
        try (Run run = new Run(seed, bug)) {
            return run.run();
        }
    }

    @Test
    void noObjectIsHarmedAndNoResultIsWrong() throws IOException {
        for (long seed = 1; seed <= SEEDS; seed++) {
            assertThat(run(seed, Bug.NONE)).as("seed %d", seed).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Bug.class,
            names = {"NONE"},
            mode = EnumSource.Mode.EXCLUDE)
    void aPlantedBugIsFound(Bug bug) throws IOException {
        boolean found = false;
        for (long seed = 1; seed <= SEEDS && !found; seed++) {
            found = run(seed, bug).isPresent();
        }
        assertThat(found).as("%s shows within %d seeds", bug, SEEDS).isTrue();
    }
}
