package io.uniserve.protocol.backup.batch;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.model.ReplicaKey;
import io.uniserve.protocol.backup.batch.LogBatchKey.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogBatchKeyTest {
    @Test
    void everyKeyComesBackEqual() {
        Random random = new Random(1);
        for (int round = 0; round < 500; round++) {
            List<Entry> entries = new ArrayList<>();
            int chars = LogBatchKey.charsOf("main");
            for (int i = random.nextInt(30); i >= 0; i--) {
                long first = random.nextLong() >>> random.nextInt(2, 63);
                Entry entry = new Entry(
                        new ReplicaKey(random.nextLong() >>> random.nextInt(1, 63), random.nextInt(Integer.MAX_VALUE)),
                        first,
                        first + random.nextInt(5_000),
                        random.nextLong() >>> random.nextInt(1, 63),
                        random.nextInt(1 << 20));
                entries.add(entry);
                chars += LogBatchKey.charsOf(entry);
            }
            LogBatchKey key = new LogBatchKey("main", random.nextLong() >>> 1, random.nextLong(), entries);
            assertThat(key.text())
                    .matches("([a-z0-9.-]{1,200}/)+[a-z0-9.-]{1,200}")
                    .hasSizeLessThanOrEqualTo(chars);
            if (chars <= LogBatchKey.CHARS_MAX) {
                assertThat(LogBatchKey.parse(key.text())).contains(key);
            }
        }
    }

    @Test
    void fortyActorsFitInAKey() {
        int chars = LogBatchKey.charsOf("production");
        for (int actor = 0; actor < 32; actor++) {
            chars += LogBatchKey.charsOf(new Entry(new ReplicaKey(12, actor), 1_000_000 + actor, 1_000_020, 17, 9_000));
        }
        assertThat(chars).isLessThan(LogBatchKey.CHARS_MAX);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "1",
                "vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv",
                "../x",
                "100vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv"
            })
    void damagedKeysAreNoBatches(String directory) {
        assertThat(LogBatchKey.parse("batch/main/%020d-%016x/%s".formatted(5, 6, directory)))
                .isEmpty();
    }
}
