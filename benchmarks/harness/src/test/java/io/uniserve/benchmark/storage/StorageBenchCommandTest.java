package io.uniserve.benchmark.storage;

import static org.assertj.core.api.Assertions.assertThat;

import io.uniserve.benchmark.TestingHarness;
import io.uniserve.benchmark.TestingHarness.Run;
import io.uniserve.cli.command.ExitCode;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Options and formulae of {@code bench storage}. */
class StorageBenchCommandTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        --parts idel          | --parts names idel: use backup,restore,idle,steady,remote,failures,two-clusters,rebirth
        --stores tape         | --stores names tape: use directory,versitygw
        --servers 0           | --servers is 0: use 1 to 16
        --mib 0               | --mib is 0: use 1 to 4096
        --actors 0            | --actors is 0: use 1 to 1024
        --rate 0              | --rate is 0: use 1 to 100000
        --remote-updates 9    | --remote-updates is 9: use 10 to 100000
        --runs 0              | --runs is 0: use 1 to 1000
        --idle-seconds NaN    | --idle-seconds is NaN: use 1.0 to 86400.0
        --steady-seconds 0    | --steady-seconds is 0.0: use 1.0 to 3600.0
        --fail-percent 51     | --fail-percent is 51.0: use 0.0 to 50.0
        --versitygw /no/such  | --versitygw is /no/such: there is no program
        """)
    void wrongOptionsAreRefusedBeforeAnythingStarts(String options, String message) {
        Run run = TestingHarness.run(("bench storage " + options).split(" "));
        assertThat(run.exit()).isEqualTo(ExitCode.USAGE);
        assertThat(run.err()).contains(message);
        assertThat(run.out()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, /b/key, PUT",
        "PUT, /b/key?partNumber=2&uploadId=x, PUT",
        "POST, /b/key?uploads, PUT",
        "GET, /b/key, GET",
        "GET, /b/list-type=2, GET",
        "GET, /b?list-type=2&prefix=p, LIST",
        "GET, /b?prefix=p&list-type=2, LIST",
        "GET, /b?uploads, LIST",
        "HEAD, /b/key, HEAD",
        "DELETE, /b/key, DELETE"
    })
    void requestsAreCountedByTheirPrice(String method, String target, S3RequestCounts.Kind kind) {
        assertThat(S3RequestCounts.Kind.of(method, target)).isEqualTo(kind);
    }

    @Test
    void leastGetsAreWholePartsPerActor() {
        long part = 4 << 20;
        Map<String, Long> sizes = Map.of(
                "backup/local/3/0/log/a",
                part,
                "backup/local/3/0/log/b",
                1L,
                "backup/local/3/1/log/a",
                part,
                "backup/local/3/10/pin/a",
                0L,
                "backup/local/30/0/log/a",
                9 * part);
        assertThat(BackupStorageScenario.leastGets(sizes, "backup/local/3/")).isEqualTo(4);
        assertThat(BackupStorageScenario.leastGets(Map.of(), "backup/local/3/")).isZero();
    }

    @Test
    void changedAndMissingObjectsAreHarmed() {
        Map<String, String> before = Map.of("a", "1", "b", "2", "c", "3");
        assertThat(NeighbourClustersScenario.harmed(before, before)).isZero();
        assertThat(NeighbourClustersScenario.harmed(before, Map.of("a", "1", "b", "x", "d", "4")))
                .isEqualTo(2);
    }
}
