package io.uniserve.aws.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.uniserve.codec.Bytes;
import io.uniserve.error.ErrorCode;
import io.uniserve.error.UniserveException;
import io.uniserve.runtime.store.DurableStore;
import io.uniserve.runtime.store.DurableStoreFactory;
import io.uniserve.runtime.store.StoreReport;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What every store with the interface of S3 must do for Uniserve. */
abstract class DurableStoreContract {
    private final String prefix = "t-" + S3StoreProvider.newId();

    /** Location with the smallest parts, 5 MiB. */
    abstract String location(String prefix);

    private DurableStore open() {
        return DurableStoreFactory.open(location(prefix));
    }

    static Bytes random(int size, long seed) {
        byte[] data = new byte[size];
        new Random(seed).nextBytes(data);
        return Bytes.wrap(data);
    }

    @Test
    void objectsComeBackAndNeverChange() throws IOException {
        try (DurableStore store = open()) {
            List<Integer> sizes = List.of(0, 1, 4 << 20, (5 << 20) + 1, 12 << 20);
            for (int size : sizes) {
                Bytes data = random(size, size);
                store.put("o/" + size, data);
                store.put("o/" + size, data);
                assertThat(store.get("o/" + size)).isEqualTo(data);
                assertThatThrownBy(() -> store.put("o/" + size, random(size + 1, 1)))
                        .isInstanceOfSatisfying(
                                UniserveException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT));
                assertThat(store.get("o/" + size)).isEqualTo(data);
            }
            assertThat(store.list("o/")).hasSize(sizes.size());
            assertThatThrownBy(() -> store.get("o/none"))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("is absent");
        }
    }

    @Test
    void listsByPrefixSortedWithKeysInsideKeys() throws IOException {
        try (DurableStore store = open()) {
            for (String key : List.of("a/b", "a.x", "a/b-c/c", "ab", "b/a")) {
                store.put(key, Bytes.utf8(key));
            }
            assertThat(store.list("")).containsExactly("a.x", "a/b", "a/b-c/c", "ab", "b/a");
            assertThat(store.list("a/")).containsExactly("a/b", "a/b-c/c");
            assertThat(store.sizes("a/"))
                    .containsExactly(
                            Map.entry("a/b", 3L + ObjectEnvelope.HEADER_BYTES),
                            Map.entry("a/b-c/c", 7L + ObjectEnvelope.HEADER_BYTES));
            assertThat(store.list("none/x")).isEmpty();
            store.delete("a/b");
            store.delete("a/b");
            assertThat(store.list("a/")).containsExactly("a/b-c/c");
        }
        try (DurableStore other = DurableStoreFactory.open(location(prefix + "-other"))) {
            assertThat(other.list("")).as("another prefix").isEmpty();
        }
    }

    @Test
    void ofManyWritersOfAKeyOneSucceeds() throws IOException {
        try (DurableStore store = open()) {
            for (int round = 0; round < 5; round++) {
                String key = "race/" + round;
                List<Boolean> stored = IntStream.range(0, 6)
                        .parallel()
                        .mapToObj(writer -> isStored(store, key, Bytes.utf8("writer " + writer)))
                        .toList();
                assertThat(stored).containsOnlyOnce(true);
                assertThat(store.get(key).utf8()).isEqualTo("writer " + stored.indexOf(true));
            }
        }
    }

    private static boolean isStored(DurableStore store, String key, Bytes data) {
        try {
            store.put(key, data);
            return true;
        } catch (UniserveException e) {
            assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            return false;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theExaminationFindsNothing() {
        StoreReport report = DurableStoreFactory.provider(location(prefix)).analyse(location(prefix));
        assertThat(report.checks())
                .allSatisfy(check ->
                        assertThat(check.verdict()).as(check.toString()).isEqualTo(StoreReport.Verdict.OK));
        assertThat(report.checks()).hasSizeGreaterThan(12);
    }
}
