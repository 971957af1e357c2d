package io.uniserve.cli.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.cli.TestingClusterClient;
import io.uniserve.cli.TestingConsole;
import io.uniserve.cli.TestingConsole.Run;
import io.uniserve.cli.command.ExitCode;
import io.uniserve.codec.Bytes;
import io.uniserve.runtime.store.LocalObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StorageCostCommandTest {
    private static final int HEADER = 48;

    @TempDir
    Path directory;

    private final TestingConsole uniserve = new TestingConsole(bootstrap -> new TestingClusterClient());

    @BeforeEach
    void fill() throws IOException {
        try (LocalObjectStore store = LocalObjectStore.open(directory)) {
            put(store, "owner/main", 1);
            put(store, "backup/main/7/0/log/%020d-%020d-%020d".formatted(1, 5, 1), (1 << 20) - HEADER);
            put(store, "backup/main/7/3/log/%020d-%020d-%020d".formatted(1, 5, 1), (1 << 20) - HEADER);
            put(
                    store,
                    "backup/main/7/3/checkpoint/%020d-%s/%s".formatted(1, "0".repeat(16), "c".repeat(64)),
                    (3 << 20) - HEADER);
            put(store, "backup/main/12/0/pin/" + "a".repeat(16) + "-" + "b".repeat(64), 100);
        }
    }

    private static void put(LocalObjectStore store, String key, int bytes) throws IOException {
        store.put(key, Bytes.wrap(new byte[bytes]));
    }

    private Run run(String... more) {
        List<String> words = new ArrayList<>(List.of("storage", "cost", directory.toString()));
        words.addAll(List.of(more));
        return uniserve.run(words.toArray(String[]::new));
    }

    private static String[] row(Run run, String start) {
        return run.lines().stream()
                .filter(line -> line.startsWith(start))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line " + start + " in\n" + run.out()))
                .split(" {2,}");
    }

    @Test
    void storageIsCounted() {
        Run run = run("--price-gb-month", "512");
        assertThat(run.exit()).as(run.err()).isEqualTo(ExitCode.OK);
        assertThat(run.lines().get(1).split(" +")).containsExactly("main", "7", "2", "2", "2.00", "1", "3.00", "0");
        assertThat(run.lines().get(2).split(" +")).containsExactly("main", "12", "1", "0", "0.00", "0", "0.00", "1");
        assertThat(run.out()).contains("5 objects, 5.00 MiB, of these 1 of no actor", "give --updates-per-second");
        assertThat(row(run, "storage")).containsExactly("storage", "0.005 GB", "512.00000", "2.50", "counted now");
        assertThat(row(run, "sum")).contains("2.50", "without requests");
    }

    @Test
    void requestsAreEstimatedOrScaled() {
        Run estimated = run("--updates-per-second", "3000", "--price-put-1000", "1");
        assertThat(row(estimated, "PUT, log")).contains("2,660,850", "2,660.85", "estimated");
        assertThat(estimated.out()).contains("PUT, checkpoints", "LIST", "GET", "Not included: restorations");
        Run counted = run("--puts", "1000", "--gets", "0", "--hours", "73", "--price-put-1000", "1");
        assertThat(row(counted, "PUT")).contains("10,000", "10.00", "counted in 73.00 h, scaled");
        assertThat(run("--updates-per-second", "1", "-o", "json").out())
                .contains("\"requestsFrom\":\"estimated\"", "\"usdPerMonth\":", "\"objects\":5");
        assertThat(run("-o", "json").out()).contains("\"storageUsdPerMonth\":").doesNotContain("requests");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --puts 5                                     | --hours is missing
        --hours 5                                    | --hours needs counted requests
        --puts 5 --hours 1 --updates-per-second 1    | not both
        --actors 5                                   | need --updates-per-second
        --updates-per-second -1                      | --updates-per-second is -1.0: use 0.0 to
        --updates-per-second NaN                     | --updates-per-second is NaN: use 0.0 to
        --updates-per-second 1 --actors 0            | --actors is 0: use 1 to 1000000
        --updates-per-second 1 --log-shipping 10ms   | --log-shipping is 10ms: use 100ms to 1h
        --puts 5 --hours 0                           | --hours is 0.0: use 0.01 to
        --puts -5 --hours 1                          | --puts is -5: use 0 to
        --price-gb-month -1                          | --price-gb-month is -1.0: use 0.0 to
        """)
    void wrongOptionsAreNamed(String options, String message) {
        Run run = run(options.split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void aFolderThatIsNoStoreIsRefused(@TempDir Path other) {
        Run run = uniserve.run("storage", "cost", other.toString());
        assertThat(run.exit()).isEqualTo(ExitCode.REFUSED);
        assertThat(run.err()).contains("is no durable storage");
        assertThat(other).isEmptyDirectory();
    }
}
